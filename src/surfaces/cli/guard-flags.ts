import type { GuardSpec } from '../../core/run-config.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { parseConfig } from '../../settings/parse-config.ts'
import type { ConfiguredGuards } from '../../settings/pawl-config.ts'
import { guardNames, guardOf } from '../../settings/configured-guards.ts'

/**
 * What `--guard NAME=VALUE` says, the later before the earlier. The value is as in pawl.yaml under `guards:`, the name may
 * be written in any style: `thrashing=trip`, `same-failure=off`, `stalledDiff={ similarity_min: 0.9 }`.
 */
export function guardFlags(texts: readonly string[] = []): ConfiguredGuards {
  return Object.assign({}, ...texts.map(guardFlag)) as ConfiguredGuards
}

function guardFlag(text: string): ConfiguredGuards {
  const [, name, value] = /^\s*([\w-]+)\s*=\s*(\S[^\r\n]*)$/.exec(text) ?? []
  if (name === undefined || value === undefined) {
    throw new PawlError('usage.guard', `--guard takes NAME=VALUE such as thrashing=trip or same_failure=off, not "${text}".`, {
      value: text,
    })
  }
  const key = name.replaceAll('-', '_').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  try {
    return parseConfig(`guards:\n  ${key}: ${value}\n`, 'guard').guards ?? {}
  } catch (error) {
    if (!(error instanceof PawlError)) throw error
    const sentence = error.message.replaceAll(/^guard:\d+:\d+: /gm, '').replaceAll('\n', '; ')
    throw new PawlError('usage.guard', `--guard ${text}: ${sentence}`, { value: text, cause: error })
  }
}

/** The guards of a run with those replaced, added or left out that flags name. */
export function withGuardFlags(recorded: readonly GuardSpec[], texts: readonly string[] | undefined): readonly GuardSpec[] {
  const flags = guardFlags(texts)
  return guardNames.reduce((specs, name) => {
    const given = flags[name]
    if (given === undefined) return specs
    const [spec] = guardOf(name, given).map((guard) => guard.spec)
    const at = specs.findIndex((each) => isFor(each, name))
    if (at === -1) return spec ? [...specs, spec] : specs
    return specs.flatMap((each, index) => (index !== at ? [each] : spec ? [spec] : []))
  }, recorded)
}

/** The guard itself, or a ladder of it. */
function isFor({ name, parts }: GuardSpec, wanted: string): boolean {
  return name === wanted || (name === 'ladder' && parts?.[0]?.name === wanted)
}
