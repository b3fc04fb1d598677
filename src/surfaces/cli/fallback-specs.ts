import { agentName, type PartSpec, type RunConfig } from '../../core/run-config.ts'
import { PawlError } from '../../core/pawl-error.ts'

/** The flags that say who continues when an agent cannot. */
export interface FallbackFlags {
  /** One agent, or several in order: `claude,codex`. */
  readonly agent?: string
  readonly onLimit?: string
}

export type Fallbacks = Pick<RunConfig, 'fallbacks' | 'onLimit'>

/** The names in `--agent`, the one that works first. Throws `usage.agent-list` for an empty or a repeated one. */
export function agentList(text: string): readonly [string, ...string[]] {
  const names = text.split(',').map((name) => name.trim())
  const [first = ''] = names
  const wrong = names.find((name, index) => name === '' || names.indexOf(name) !== index)
  if (wrong === undefined) return [first, ...names.slice(1)]
  const why = wrong === '' ? 'a name is missing' : `"${wrong}" is in it twice`
  throw new PawlError('usage.agent-list', `--agent "${text}" cannot be used: ${why}. Write it as --agent claude,codex.`, {
    value: text,
  })
}

/**
 * Who continues when `agent` cannot: those named after it in the flag, else those that hold or that pawl.yaml names. `specOf` makes an agent
 * of a name. An agent does not continue for itself.
 */
export function fallbackSpecs(
  flags: FallbackFlags,
  others: { readonly fallbacks?: readonly (PartSpec | string)[] | undefined; readonly onLimit?: RunConfig['onLimit'] },
  agent: PartSpec,
  specOf: (name: string) => PartSpec,
): Fallbacks {
  const [, ...named] = flags.agent === undefined ? [''] : agentList(flags.agent)
  const given = named.length > 0 ? named : (others.fallbacks ?? [])
  const specs = given.map((each) => (typeof each === 'string' ? specOf(each) : each))
  const fallbacks = specs.filter((spec) => agentName(spec) !== agentName(agent))
  const onLimit = onLimitOf(flags.onLimit) ?? others.onLimit
  return { ...(fallbacks.length === 0 ? {} : { fallbacks }), ...(onLimit === undefined ? {} : { onLimit }) }
}

function onLimitOf(text: string | undefined): RunConfig['onLimit'] {
  if (text === undefined || text === 'wait' || text === 'switch') return text
  throw new PawlError('usage.on-limit', `--on-limit takes wait or switch, not "${text}".`, { value: text })
}
