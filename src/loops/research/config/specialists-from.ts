import { DEFAULT_SPECIALISTS, type SpecialistRule, type SpecialistTask } from '../rules.ts'
import { roleName } from './role-name.ts'

type Specialists = Readonly<Partial<Record<SpecialistTask, Partial<SpecialistRule>>>>

/**
 * Whom the strategies of a file send for what. A strategy is for the kind of gap that it is named after, or whose `action` names it;
 * one for `confidence_gap` is for all its reasons, unless one of them has its own.
 */
export function specialistsFrom(
  named: Readonly<Record<string, Partial<SpecialistRule>>>,
  actions: Readonly<Record<string, string>>,
): { readonly specialists: Specialists; readonly unknown: readonly string[] } {
  const specialists: Partial<Record<SpecialistTask, Partial<SpecialistRule>>> = {}
  const unknown: string[] = []
  // A whole kind first, so that one of its reasons may differ.
  const names = Object.keys(named).toSorted((one, other) => Number(one.includes(':')) - Number(other.includes(':')))
  for (const name of names) {
    const tasks = tasksOf(name, actions)
    if (tasks.length === 0) unknown.push(name)
    for (const task of tasks) specialists[task] = { ...specialists[task], ...ruleOf(named[name] ?? {}) }
  }
  return { specialists, unknown }
}

const TASKS = Object.keys(DEFAULT_SPECIALISTS) as readonly SpecialistTask[]

function tasksOf(name: string, actions: Readonly<Record<string, string>>): readonly SpecialistTask[] {
  const kinds = [name, ...Object.keys(actions).filter((kind) => actions[kind] === name)]
  return TASKS.filter((task) => kinds.some((kind) => task === kind || task.startsWith(`${kind}:`)))
}

function ruleOf({ role, ...rest }: Partial<SpecialistRule>): Partial<SpecialistRule> {
  return role === undefined ? rest : { ...rest, role: roleName(role) }
}
