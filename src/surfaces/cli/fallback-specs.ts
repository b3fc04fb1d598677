import { agentName, type PartSpec, type RunConfig } from '../../core/run-config.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { PawlConfig } from '../../settings/pawl-config.ts'

/** The flags that say who goes on when an agent cannot. */
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
  const why = wrong === '' ? 'a name is missing' : `"${wrong}" stands in it twice`
  throw new PawlError('usage.agent-list', `--agent "${text}" cannot be used: ${why}. Write it as --agent claude,codex.`, {
    value: text,
  })
}

/**
 * Who goes on when `agent` cannot: those named after it in the flag, else `fallback` of pawl.yaml. `specOf` makes an agent of a name. An
 * agent does not go on for itself.
 */
export function fallbackSpecs(
  flags: FallbackFlags,
  config: PawlConfig | undefined,
  agent: PartSpec,
  specOf: (name: string) => PartSpec,
): Fallbacks {
  const [, ...named] = flags.agent === undefined ? [''] : agentList(flags.agent)
  const names = named.length > 0 ? named : (config?.fallback ?? [])
  const onLimit = onLimitOf(flags.onLimit) ?? config?.onLimit
  return fallbacksOf(names.map(specOf), agent, onLimit)
}

/** What a run goes on with: those that hold, with what the flags change. */
export function changedFallbacks(
  holding: RunConfig,
  flags: FallbackFlags,
  agent: PartSpec,
  specOf: (name: string) => PartSpec,
): Fallbacks {
  const [, ...named] = flags.agent === undefined ? [''] : agentList(flags.agent)
  const specs = named.length > 0 ? named.map(specOf) : (holding.fallbacks ?? [])
  return fallbacksOf(specs, agent, onLimitOf(flags.onLimit) ?? holding.onLimit)
}

function fallbacksOf(specs: readonly PartSpec[], agent: PartSpec, onLimit: RunConfig['onLimit']): Fallbacks {
  const fallbacks = specs.filter((spec) => agentName(spec) !== agentName(agent))
  return { ...(fallbacks.length === 0 ? {} : { fallbacks }), ...(onLimit === undefined ? {} : { onLimit }) }
}

function onLimitOf(text: string | undefined): RunConfig['onLimit'] {
  if (text === undefined || text === 'wait' || text === 'switch') return text
  throw new PawlError('usage.on-limit', `--on-limit takes wait or switch, not "${text}".`, { value: text })
}
