import { PawlError } from '../core/pawl-error.ts'
import { type PartSpec, partSpec } from '../core/run-config.ts'
import { ruleSpec } from '../registry/rule-spec.ts'
import { PERSON, REVIEW } from './config-rules.ts'
import type { PawlConfig } from './pawl-config.ts'
import { resolveAgent } from './resolve-agent.ts'

/** The checks and rules of pawl.yaml as data, without its reviewer. */
export function checksOf(config: PawlConfig | undefined): readonly PartSpec[] {
  return [...(config?.checks ?? []).map((check) => partSpec('command', check)), ...(config?.rules ?? []).map(ruleSpec)]
}

/** The reviewer as data, who comes after the checks: the one given, else `reviewer` of pawl.yaml, else nobody. */
export function reviewSpecs(
  { reviewer }: { readonly reviewer?: string },
  config: PawlConfig | undefined,
  checks: readonly PartSpec[],
): readonly PartSpec[] {
  const name = reviewer ?? config?.reviewer
  return name === undefined ? [] : reviewersNamed([name], config, checks)
}

/** Reviewers as data: one is called `review`, several are called after themselves. */
export function reviewersNamed(
  names: readonly string[],
  config: PawlConfig | undefined,
  checks: readonly PartSpec[],
): readonly PartSpec[] {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined)
    throw new PawlError('usage.reviewer', `--reviewer ${twice} is given twice: name every reviewer once.`, { value: twice })
  return names.map((name) => reviewerSpec(name, names.length === 1 ? REVIEW : `review by ${name}`, config, checks))
}

function reviewerSpec(name: string, called: string, config: PawlConfig | undefined, checks: readonly PartSpec[]): PartSpec {
  if (checks.some((check) => check.settings['name'] === REVIEW))
    throw new PawlError('usage.check-name', `A check is called "${REVIEW}" already, as the reviewer is: call it otherwise.`)
  if (name === PERSON) return partSpec('person-review', { name: called, review: 'person' })
  return partSpec('agent-review', { name: called, review: 'agent', agent: thinkerSpec('review', name, config) })
}

/** An agent that is asked for its opinion, which one without a model does not have. */
export function thinkerSpec(what: string, name: string, config: PawlConfig | undefined): PartSpec {
  const resolved = resolveAgent(name, config)
  const isTinker = name === 'tinker' && config?.agents['tinker'] === undefined
  if (isTinker)
    throw new PawlError('usage.no-model', `tinker cannot ${what}: it has no model. Name another agent.`, { value: name })
  return resolved
}
