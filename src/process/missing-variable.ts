import { closingLines } from './last-lines.ts'

/** A variable that a program says it lacks. */
export interface MissingVariable {
  readonly name: string
  /** Set if Pawl has it and did not pass it on. */
  readonly isWithheld: boolean
  /** What the program said. */
  readonly line: string
}

export interface SpeakingProgram {
  /** Its output; for a test, the failure's message. */
  readonly text: string
  /** The environment it had. */
  readonly env: Readonly<Record<string, string>>
  readonly from: 'output' | 'test'
}

/**
 * The variable that a program which failed says it lacks. One that Pawl withheld is certain: the name that is complained of is set here. One
 * that is set nowhere counts only by the exact sentences of shells and tools.
 */
export function missingVariable({ text, env, from }: SpeakingProgram): MissingVariable | undefined {
  const lines = from === 'test' ? text.trim().split('\n', TEST_LINES_MAX) : closingLines(text, OUTPUT_LINES_MAX)
  const withheld = lines
    .flatMap((line) => namesIn(line).map((name) => ({ name, line: line.trim(), isWithheld: true })))
    .find(({ name }) => (process.env[name] ?? '') !== '' && env[name] === undefined)
  if (withheld) return withheld
  return lines
    .flatMap((line) =>
      SENTENCES.map((sentence) => ({ name: sentence.exec(line)?.[1] ?? '', line: line.trim(), isWithheld: false })),
    )
    .find(({ name }) => name !== '' && env[name] === undefined)
}

const TEST_LINES_MAX = 3
const OUTPUT_LINES_MAX = 12

/** The names that a line may complain of. A single word in capitals is a variable only where the line speaks of variables. */
function namesIn(line: string): readonly string[] {
  if (!COMPLAINT.test(line)) return []
  const names = [...line.matchAll(NAMES)].map(([name]) => name)
  const isOfVariables = OF_VARIABLES.test(line) || SENTENCES.some((sentence) => sentence.test(line))
  return isOfVariables ? names : names.filter((name) => name.includes('_'))
}

const OF_VARIABLES = /\benv(?:ironment)?\b|\bKeyError\b|\bvariable\b/i

const NAMES = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*\b/g

/** Words with which something is said to be absent. */
const COMPLAINT =
  /\b(?:not set|unset|unbound|undefined|not defined|missing|required|must be set|not provided|not found|KeyError|NotPresent|is empty|environment variable)\b/i

const NAME = String.raw`["'\`$]{0,2}([A-Z][A-Z0-9_]{2,})["'\`]?`

/** Sentences that only say that a variable is absent. */
const SENTENCES: readonly RegExp[] = [
  // sh -u, bash -u
  new RegExp(String.raw`^\S*: (?:(?:line )?\d+: )?${NAME}: (?:unbound variable|parameter (?:null or )?not set)$`),
  // FOO is not set; Error: environment variable FOO must be set.
  new RegExp(
    String.raw`^(?:[\w.]*Error: |error: |fatal: |[\w./-]+: )?(?:[Tt]he )?(?:required )?(?:[Ee]nv(?:ironment)? (?:variable |var )?)?${NAME} (?:(?:environment )?variable )?(?:is not set|is unset|must be set|is required|not set|is not defined|was not provided)\b`,
  ),
  // Missing required environment variable: FOO
  new RegExp(String.raw`^(?:[\w.]*Error: |error: )?[Mm]issing (?:required )?env(?:ironment)? var(?:iable)?s?:? ${NAME}`),
  // rustc
  new RegExp(String.raw`^error: environment variable ${NAME} not defined at compile time`),
]
