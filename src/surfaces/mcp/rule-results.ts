import { failureItem } from '../../core/failure-item.ts'
import type { State } from '../../core/state.ts'
import { counted, shortened } from '../../core/wording.ts'

/** What one validation rule said. */
export interface RuleResult {
  readonly ruleName: string
  readonly passed: boolean
  readonly message: string
}

/** What the rules said in the present iteration; one that could not run, or was not reached, did not pass. */
export function ruleResults({ config, current: { checks, problem } }: State): readonly RuleResult[] {
  return config.checks.map(({ settings }) => {
    const ruleName = String(settings['name'])
    const record = checks.find(({ name }) => name === ruleName)
    if (record?.passed) return { ruleName, passed: true, message: 'Passed.' }
    if (record) return { ruleName, passed: false, message: failedWords(record.failures.map((failure) => failureItem(failure))) }
    const isProblem = problem?.check === ruleName
    const fix = problem?.fix === undefined ? '' : ` ${problem.fix}`
    return { ruleName, passed: false, message: isProblem ? `Could not run: ${problem.message}${fix}` : 'Was not run.' }
  })
}

/** What stands in the way, one line each, the most important first. */
export function feedbackLines({ current }: State): readonly string[] {
  const { checks, problem } = current
  const lines = checks.flatMap((check) => check.failures.map((failure) => failureItem(failure)))
  const first = problem ? [`${problem.what} could not do its job: ${problem.message}${problem.fix ? ` ${problem.fix}` : ''}`] : []
  const left = lines.length - LINES_MAX
  return [...first, ...lines.slice(0, LINES_MAX), ...(left > 0 ? [`and ${left} more`] : [])]
}

const LINES_MAX = 20

function failedWords(items: readonly string[]): string {
  const [first = 'Failed.'] = items
  return items.length > 1 ? `${counted(items.length, 'failure')}: ${shortened(first, 200)}` : first
}
