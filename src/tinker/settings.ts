import { parseJson } from '../core/json.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { Ruling } from '../core/ruling.ts'

/** One call's settings from the environment. */
export interface Settings {
  readonly check: readonly string[]
  /** How many candidates to try. Default 60. */
  readonly triesMax: number
  /** How long the call may take. Default 120. */
  readonly secondsMax: number
  /** Counted from 1. Default 1. */
  readonly iteration: number
  readonly run: string
  /** Changes the order of candidates that are about equally good. Default none. */
  readonly seed: string
  /** What people decided about single tests. Default: nothing. */
  readonly rulings?: readonly Ruling[]
  /** Where to write the report, if anywhere. */
  readonly reportFile?: string
}

/** Reads the settings. Throws a `PawlError` that names the variable if one is missing or wrong. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const reportFile = env['PAWL_REPORT_FILE']
  return {
    check: readCheck(env['PAWL_TINKER_CHECK'], env['PAWL_TINKER_CHECK_SHELL']),
    triesMax: readCount(env, 'PAWL_TINKER_TRIES_MAX', 60),
    secondsMax: readCount(env, 'PAWL_TINKER_SECONDS_MAX', 120),
    iteration: readCount(env, 'PAWL_ITERATION', 1),
    run: env['PAWL_RUN'] ?? '',
    seed: env['PAWL_TINKER_SEED'] ?? '',
    ...readRulings(env['PAWL_RULINGS']),
    ...(reportFile ? { reportFile } : {}),
  }
}

/** Rulings that can't be read don't keep tinker from its work: it leaves these tests alone. */
function readRulings(text: string | undefined): Pick<Settings, 'rulings'> {
  const rulings = text === undefined ? undefined : parseJson(text)
  return Array.isArray(rulings) ? { rulings: rulings as readonly Ruling[] } : {}
}

function readCheck(command: string | undefined, shell: string | undefined): readonly string[] {
  if (command) {
    const words = parseJson(command)
    if (Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string')) return words
    throw new PawlError('tinker.settings.check', 'PAWL_TINKER_CHECK must be a JSON array of strings, such as ["npm","test"].', {
      value: command,
    })
  }
  if (shell) return ['/bin/sh', '-c', shell]
  throw new PawlError(
    'tinker.settings.check',
    'tinker needs a check to work against: set PAWL_TINKER_CHECK (a JSON array) or PAWL_TINKER_CHECK_SHELL.',
  )
}

function readCount(env: Readonly<Record<string, string | undefined>>, name: string, fallback: number): number {
  const text = env[name]
  if (text === undefined || text === '') return fallback
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 1) return value
  throw new PawlError('tinker.settings.count', `${name} must be a whole number from 1, but is ${JSON.stringify(text)}.`, {
    value: text,
  })
}
