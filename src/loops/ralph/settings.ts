import { BLOCKED, claimOf, promisesOf } from '../shared/promises.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { State } from '../../core/state.ts'
import { inFiles, inPrograms } from '../../schema/file-kinds.ts'
import { byDefault, type EntriesOf, FLAG, needed, notBlank, settingsSchema, TEXTS, wholeNumber } from '../../schema/kinds.ts'
import { readOptions } from '../../schema/read-options.ts'

export interface RalphSettings {
  /** What the agent reads, the same each time. */
  readonly prompt: string
  /** Words by which the agent says that it is done, bare or as `<promise>WORD</promise>`; none: passing checks end the loop. Default `COMPLETE`. */
  readonly promises?: readonly string[]
  /** Iterations before a promise is accepted. Default 1. */
  readonly iterationsMin?: number
  /** Guards whose trip ends the run instead of asking a person. Default: `budget`. */
  readonly stopOn?: readonly string[]
  /** Run the checks once before any work. Default false. */
  readonly baseline?: boolean
  /** How many characters of failures come after the prompt; the first is always shown. Default 500. */
  readonly feedbackLengthMax?: number
  /** Whether what the checks said, people's words and warnings follow the prompt. Default true. */
  readonly echoesFeedback?: boolean
}

/** Settings with every default filled in, and promises as bare words. */
export type WholeRalphSettings = Required<RalphSettings>

/** Checks the settings and fills in the defaults. */
export function wholeRalphSettings(settings: RalphSettings): WholeRalphSettings {
  const whole = readOptions('ralphLoop', RALPH_LOOP, settings) as WholeRalphSettings
  const words = whole.promises.map(promiseWord)
  const twice = words.find((word, index) => words.indexOf(word) !== index)
  if (twice !== undefined)
    throw new PawlError('setting.promises', `The promise "${twice}" is declared twice: once is enough.`, { value: twice })
  return { ...whole, promises: words }
}

/** How many iterations there are at most unless something else is said. */
export const RALPH_ITERATIONS_MAX = 20

/** The settings of the ralph loop, from which its flags come. */
export const RALPH_LOOP = settingsSchema({
  prompt: needed(inPrograms(notBlank('the text that the agent is given each time'))),
  promises: byDefault(
    inFiles(TEXTS, { isAbsent: true, flag: '--promise <word>' }),
    ['COMPLETE'],
    'What the agent has to say when it is done',
  ),
  iterationsMin: byDefault(
    inFiles(wholeNumber(1), { isAbsent: true, flag: '--min-iterations <count>' }),
    1,
    'Accept no promise before this iteration',
  ),
  stopOn: byDefault(inPrograms(TEXTS), ['budget']),
  baseline: byDefault(FLAG, false, 'Whether the checks run once before any work'),
  feedbackLengthMax: byDefault(
    inFiles(wholeNumber(1), { name: 'feedback_max_length' }),
    500,
    'How many characters of failures follow the prompt',
  ),
  echoesFeedback: byDefault(
    inFiles(FLAG, {
      isAbsent: true,
      flag: '--no-feedback',
      flagAbout: 'say nothing after the prompt: neither what failed nor what people said',
    }),
    true,
    'Whether failures and what people said follow the prompt',
  ),
} satisfies EntriesOf<RalphSettings>)

/** The promises that hold for a run: those on record, or before any are, those of the settings. */
export function promisesNow({ promises }: WholeRalphSettings, state: State): readonly string[] {
  return promisesOf(state) ?? promises
}

/** Whether the present iteration may end the run if its checks say so: it is late enough, and promised where promises are asked for. */
export function isOffered(settings: WholeRalphSettings, state: State): boolean {
  const { number } = state.current
  const claim = claimOf(state)
  if (number < settings.iterationsMin || claim?.promise === BLOCKED) return false
  return claim !== undefined || promisesNow(settings, state).length === 0
}

/** The bare word of a promise, which may also be written as `<promise>WORD</promise>`. Throws where it cannot be one. */
function promiseWord(promise: string): string {
  const word = (/^\s*<promise>([\s\S]*)<\/promise>\s*$/.exec(promise)?.[1] ?? promise).trim()
  const refuse = (why: string): never => {
    throw new PawlError('setting.promises', `The promise "${promise}" cannot be used: ${why}.`, { value: promise })
  }
  if (word === '') refuse('it is empty; give a word such as COMPLETE')
  if (/[<\n]/.test(word) || word.length > WORD_LENGTH_MAX)
    refuse(`it must be one line of at most ${WORD_LENGTH_MAX} characters without "<"`)
  if (word === BLOCKED || word.startsWith(`${BLOCKED}:`))
    refuse('the agent says it when it cannot continue, and that is never a success')
  return word
}

const WORD_LENGTH_MAX = 200
