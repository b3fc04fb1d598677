import { filesIn } from './files-in.ts'
import { movementWords } from './movement-words.ts'
import { attemptNumber } from './plan.ts'
import type { IterationSummary, State } from './state.ts'
import { counted, shortened } from './wording.ts'

/**
 * What was tried and did not help, one line for each of the last three attempts, the newest last, and one for all before them: the
 * files changed, what the agent said, and what came of it.
 */
export function triedLines({ recent, plan }: State): readonly string[] {
  const failed = recent.filter((iteration) => !iteration.verdict.passed)
  const told = failed.slice(-TOLD_MAX)
  const before = failed.slice(0, -TOLD_MAX)
  const number = (summary: IterationSummary): number => attemptNumber(plan, summary.iteration)
  return [...earlier(before, number), ...told.map((summary) => `Attempt ${number(summary)} ${triedIn(summary)}`)]
}

const TOLD_MAX = 3

function earlier(before: readonly IterationSummary[], number: (summary: IterationSummary) => number): readonly string[] {
  const [first] = before
  const last = before.at(-1)
  if (!first || !last) return []
  const which = first === last ? `Attempt ${number(first)}` : `Attempts ${number(first)} to ${number(last)}`
  const failing = before.map((summary) => summary.verdict.failing).join(', ')
  const files = filesIn(before)
  return [`${which} changed ${fileWords(files, files.length)} and left ${shortened(failing, 60)} failing`]
}

/** Found once for each attempt: it is told about in several briefs. */
function triedIn(summary: IterationSummary): string {
  const known = remembered.get(summary)
  if (known !== undefined) return known
  const words = triedWords(summary)
  remembered.set(summary, words)
  return words
}

const remembered = new WeakMap<IterationSummary, string>()

function triedWords({ files, filesChanged, said, denied, agentFailed, ledger, verdict, iteration }: IterationSummary): string {
  const changed = `changed ${fileWords(files, filesChanged)}`
  const words =
    said === undefined ? '' : ` (${agentFailed ? 'the agent did not finish' : 'said'}: ${shortened(said, SAID_LENGTH_MAX)})`
  const refused = denied === undefined ? '' : `; ${shortened(denied.message, SAID_LENGTH_MAX)}`
  const names = iteration > 1 ? [...namesOf('fixed', ledger.fixed), ...namesOf('broke', ledger.broken)] : []
  const moved = movementWords(ledger, verdict.failing)
  const result = iteration > 1 ? moved : counted(verdict.failing, 'failure')
  return `${changed}${words}: ${result}${names.length === 0 ? '' : `; it ${names.join(' and ')}`}${refused}`
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
