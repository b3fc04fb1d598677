import type { Failure } from './failure.ts'
import { failureGroups, sayingOf } from './failure-item.ts'
import { isUntouched } from './is-untouched.ts'
import type { IterationSummary, State } from './state.ts'
import { counted, shortened } from './wording.ts'

/** One line for each attempt, the newest last: "Iteration 2: Test failed - login: token missing userId (3 failing, 1 file changed)". */
export function attemptLines(state: State): readonly string[] {
  return state.recent.map((summary) => {
    const { iteration, verdict, filesChanged, notRun } = summary
    const unseen = notRun === undefined ? [] : [`${notRun} did not run`]
    const failing = verdict.passed ? [] : [`${verdict.failing} failing`]
    const changed = filesChanged > 0 ? [`${counted(filesChanged, 'file')} changed`] : []
    const counts = [...failing, ...unseen, ...(isUntouched(state, summary) ? ['nothing changed'] : changed)]
    return `Iteration ${iteration}: ${shortened(endOf(summary), END_LENGTH_MAX)}${counts.length === 0 ? '' : ` (${counts.join(', ')})`}`
  })
}

const END_LENGTH_MAX = 200

function endOf({ verdict, failures, agentFailed, said, outputs }: IterationSummary): string {
  if (verdict.passed) return 'Passed'
  if (agentFailed) return `Agent failed - ${said ?? 'it did not say why'}`
  const first = failureGroups(failures)[0]?.first
  if (!first) return 'Check failed'
  const isTest = first.kind === 'unknown' && !outputs.some((output) => output.name === first.id)
  return `${isTest ? 'Test failed' : ENDS[first.kind]} - ${first.id}: ${sayingOf(first)}`
}

const ENDS: Readonly<Record<Failure['kind'], string>> = {
  compile: 'Compiling failed',
  environment: 'Environment failed',
  exception: 'Test failed',
  timeout: 'Test timed out',
  assertion: 'Test failed',
  lint: 'Lint failed',
  review: 'Review rejected',
  unknown: 'Check failed',
}
