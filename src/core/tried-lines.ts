import { filesIn } from './files-in.ts'
import { movementWords } from './movement-words.ts'
import { attemptNumber } from './plan.ts'
import type { IterationSummary, State } from './state.ts'
import { counted, shortened, thousands } from './wording.ts'

/** What was tried before, in two lists: attempts that fixed something, and those that did not. */
export interface TriedLines {
  readonly helped: readonly string[]
  readonly tried: readonly string[]
}

/**
 * What was tried and did not suffice: of each list one line for each of the last three attempts, the newest last, and one for all
 * before them: the files changed, what the agent said, and what came of it.
 */
export function triedLines(state: State): TriedLines {
  const failed = state.recent.filter((iteration) => !iteration.verdict.passed)
  return {
    helped: linesOf(
      failed.filter((summary) => isHelp(summary)),
      state,
    ),
    tried: linesOf(
      failed.filter((summary) => !isHelp(summary)),
      state,
    ),
  }
}

function isHelp({ ledger }: IterationSummary): boolean {
  return ledger.counts.fixed > 0
}

function linesOf(attempts: readonly IterationSummary[], { plan, baseline }: State): readonly string[] {
  const told = attempts.slice(-TOLD_MAX)
  const before = attempts.slice(0, -TOLD_MAX)
  const number = (summary: IterationSummary): number => attemptNumber(plan, summary.iteration)
  // The first attempt is compared with what the checks said before any work, where they did.
  const isCompared = ({ iteration }: IterationSummary): boolean => iteration > 1 || baseline !== undefined
  return [
    ...earlier(before, number),
    ...told.map((summary) => `Attempt ${number(summary)} ${triedIn(summary, isCompared(summary))}`),
  ]
}

const TOLD_MAX = 3

function earlier(before: readonly IterationSummary[], number: (summary: IterationSummary) => number): readonly string[] {
  const [first] = before
  const last = before.at(-1)
  if (!first || !last) return []
  const numbers = before.map(number)
  const isRow = number(last) - number(first) + 1 === before.length
  const some = isRow ? `${number(first)} to ${number(last)}` : shortened(numbers.join(', '), 60)
  const which = first === last ? `Attempt ${number(first)}` : `Attempts ${some}`
  const failing = before.map((summary) => summary.verdict.failing).join(', ')
  const files = filesIn(before)
  return [`${which} changed ${fileWords(files, files.length)} and left ${shortened(failing, 60)} failing`]
}

/** Found once for each attempt: it is told about in several briefs. */
function triedIn(summary: IterationSummary, isCompared: boolean): string {
  const known = remembered.get(summary)
  if (known !== undefined) return known
  const words = triedWords(summary, isCompared)
  remembered.set(summary, words)
  return words
}

const remembered = new WeakMap<IterationSummary, string>()

function triedWords(summary: IterationSummary, isCompared: boolean): string {
  const { files, filesChanged, said, denied, agentFailed } = summary
  const changed = `changed ${fileWords(files, filesChanged)}`
  const words =
    said === undefined ? '' : ` (${agentFailed ? 'the agent did not finish' : 'said'}: ${shortened(said, SAID_LENGTH_MAX)})`
  const refused = denied === undefined ? '' : `; ${shortened(denied.message, SAID_LENGTH_MAX)}`
  return `${changed}${words}: ${isHelp(summary) ? helpWords(summary) : resultWords(summary, isCompared)}${refused}`
}

/** "it fixed "a" and broke "b", 2 fail now". */
function helpWords({ ledger, verdict: { failing } }: IterationSummary): string {
  const [fixed = '', ...broke] = [...namesOf('fixed', ledger.fixed), ...namesOf('broke', ledger.broken)]
  const left = failing === 1 ? '1 still fails' : `${thousands(failing)} still fail`
  const now = `${thousands(failing)} fail${failing === 1 ? 's' : ''} now`
  return `it ${[fixed, ...broke].join(' and ')}, ${broke.length === 0 ? left : now}`
}

function resultWords({ ledger, verdict }: IterationSummary, isCompared: boolean): string {
  if (!isCompared) return counted(verdict.failing, 'failure')
  const broke = namesOf('broke', ledger.broken)
  return `${movementWords(ledger, verdict.failing)}${broke.length === 0 ? '' : `; it ${broke.join('')}`}`
}

const SAID_LENGTH_MAX = 160

function namesOf(what: string, ids: readonly string[]): readonly string[] {
  if (ids.length === 0) return []
  const more = ids.length > 2 ? `, and ${ids.length - 2} more` : ''
  return [
    `${what} ${ids
      .slice(0, 2)
      .map((id) => `"${shortened(id, 60)}"`)
      .join(', ')}${more}`,
  ]
}

/** "nothing", "src/a.ts and src/b.ts", "src/a.ts, src/b.ts, src/c.ts and 4 more files". */
export function fileWords(files: readonly string[], count: number): string {
  if (count === 0) return 'nothing'
  const [only] = files
  if (only !== undefined && count === 1) return shortened(only, FILE_LENGTH_MAX)
  const named = files.slice(0, FILES_NAMED_MAX).map((file) => shortened(file, FILE_LENGTH_MAX))
  const more = count - named.length
  if (named.length === 0) return counted(count, 'file')
  if (more > 0) return `${named.join(', ')} and ${counted(more, 'more file')}`
  return [named.slice(0, -1).join(', '), named.at(-1)].filter((part) => part !== '').join(' and ')
}

const FILES_NAMED_MAX = 3
const FILE_LENGTH_MAX = 80
