import { isFields } from '../core/json.ts'
import { fittingKind, having, listOf } from './kinds.ts'

/** A part with these members whose `spec` can be written down. */
function part(wanted: string, ...members: readonly string[]) {
  return fittingKind(
    `${wanted}, with a spec like { name: "mine", v: 1, settings: {} }`,
    having(wanted, 'spec', ...members),
    hasSpec,
  )
}

function hasSpec(value: unknown): boolean {
  const spec = isFields(value) ? value['spec'] : undefined
  return isFields(spec) && typeof spec['name'] === 'string' && typeof spec['v'] === 'number' && isFields(spec['settings'])
}

/** What may stand for a loop. */
export const LOOP = part('a loop, such as taskLoop({ goal: "…" })', 'effects', 'decide')

/** What may stand for a guard. */
export const GUARD = part('a guard, such as maxIterations(8)', 'inspect')

/** What may stand for the guards of a run. */
export const GUARDS = listOf('a list of guards, such as [maxIterations(8)]', GUARD)

/** What may stand for an agent. */
export const AGENT = part('an agent, such as commandAgent({ command: ["claude", "-p"] }) or customAgent({ name, work })', 'work')

/** What may stand for a check. */
export const CHECK = part('a check, such as commandCheck({ name: "tests", command: ["npm", "test"] })', 'name', 'run')

/** What may stand for a workspace. */
export const WORKSPACE = part('a workspace, such as gitWorkspace({ path: "." })', 'open', 'observe')

/** What may stand for a codebase. */
export const CODEBASE = part('a codebase, such as folderCodebase({ path: "." })', 'estimate', 'verify')

/** What may stand for a store. */
export const STORE = having('a store, such as sqliteStore({ path: ".pawl/pawl.db" })', 'append', 'read', 'claim')
