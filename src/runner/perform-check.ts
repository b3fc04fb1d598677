import type { EffectOf } from '../core/effect.ts'
import { FAILURES_KEPT_MAX } from '../core/event-data.ts'
import type { Author, Fact } from '../core/event.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { CheckResult } from '../ports/check.ts'
import { contextOf, type Performance } from './perform.ts'
import { messageOf, textOf } from './perform-work.ts'

/** Runs a check. One that is interrupted leaves no result: it runs again when the run goes on. */
export async function performCheck(effect: EffectOf<'check'>, performance: Performance): Promise<void> {
  const { parts, state, cwd, post } = performance
  const { key, name, tree, iteration } = effect
  const by: Author = { role: 'check', name }
  const startedAt = parts.clock.now()
  // Only a process can outlive us; a check without one leaves nothing behind that would have to be known.
  const context = contextOf(effect, performance, (process) =>
    process === undefined ? [] : [{ type: 'check.started', at: parts.clock.now(), by, data: { key, name, process } }],
  )
  const check = parts.checks.find((each) => each.name === name)
  const result: CheckResult = check
    ? await check.run({ run: state.run, iteration, cwd, tree }, context).catch((error: unknown): CheckResult => ({
        status: 'errored',
        fault: 'config',
        message: `The check's driver failed: ${messageOf(error)}`,
      }))
    : {
        status: 'errored',
        fault: 'config',
        message: `No check is called "${name}".`,
        fix: 'Resume with the program or pawl.yaml that defines it.',
      }
  if (result.status === 'aborted') {
    if (performance.signal.aborted) return
    throw new PawlError(
      'check.aborted',
      `The check "${name}" says it was interrupted, but nobody interrupted it; this is a defect of its driver.`,
    )
  }
  const at = parts.clock.now()
  const output = await textOf(parts.store, result.output)
  const common = { key, name, durationMs: at - startedAt, ...output }
  await post([checkFact(result, common, tree, at, by)])
}

function checkFact(
  result: Exclude<CheckResult, { status: 'aborted' }>,
  common: { key: string; name: string; durationMs: number },
  tree: string,
  at: number,
  by: Author,
): Fact {
  if (result.status === 'errored') {
    const { fault, message, fix } = result
    return { type: 'check.errored', at, by, data: { ...common, fault, message, ...(fix === undefined ? {} : { fix }) } }
  }
  const { exitCode, counts } = result
  const said = { ...common, tree, ...(exitCode === undefined ? {} : { exitCode }), ...(counts === undefined ? {} : { counts }) }
  if (result.status === 'passed') return { type: 'check.passed', at, by, data: { ...said, failures: [] } }
  return { type: 'check.failed', at, by, data: { ...said, failures: result.failures.slice(0, FAILURES_KEPT_MAX) } }
}
