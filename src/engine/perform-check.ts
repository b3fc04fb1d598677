import type { EffectOf } from '../core/effect.ts'
import { INTERRUPTED } from '../core/evolve-effect.ts'
import { type CheckEnded, FAILURES_KEPT_MAX, FILES_KEPT_MAX, type TextRef, type Usage } from '../core/event-data.ts'
import type { Author, Fact } from '../core/event.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { Trip } from '../core/trip.ts'
import type { EffectContext } from '../process/effect-context.ts'
import { hasEnded } from '../core/measures/ledger.ts'
import { testChanges } from '../core/measures/test-changes.ts'
import type { Check, CheckRequest, CheckResult } from '../checks/check.ts'
import type { Workspace } from '../workspaces/workspace.ts'
import { contextOf, type Performance } from './performance.ts'
import { messageOf, textOf, usageOf } from './perform-work.ts'
import { putBack } from './perform-workspace.ts'
import { bothRuns, firstRunOf, isRunAgain, markedFlaky, seenIn } from './second-run.ts'
import { watchedContext } from './watch-work.ts'
import { authorOf } from './work-start.ts'

/** Runs a check. One that is interrupted leaves no result, only what a reviewer used by then: it runs again when the run resumes. */
export async function performCheck(effect: EffectOf<'check'>, performance: Performance): Promise<void> {
  const { parts, state, cwd, post } = performance
  const { key, name, tree, iteration } = effect
  const by: Author = { role: 'check', name }
  const startedAt = parts.clock.now()
  const check = parts.checks.find((each) => each.name === name)
  const review = {
    ...(effect.review ? { isReview: true as const } : {}),
    ...(check?.reviewer?.agent.tellsUsage ? { tellsUsage: true as const } : {}),
  }
  // Only a process can outlive us, and only an agent costs: any other check leaves nothing behind that would have to be known.
  const plain = contextOf(effect, performance, (process) =>
    process === undefined && !check?.reviewer
      ? []
      : [
          {
            type: 'check.started',
            at: parts.clock.now(),
            by,
            data: { key, name, ...(process === undefined ? {} : { process }), ...review },
          },
        ],
  )
  const watch = check?.reviewer ? watchedContext(plain, effect, performance) : undefined
  const { costUsdMax } = effect
  const request = check && {
    run: state.run,
    iteration,
    cwd,
    tree,
    ...(hasEnded(state.measures.ledger, name) || state.toBeMade?.includes(name) ? { hasRun: true as const } : {}),
    ...(state.lateChecks?.includes(name) ? { isLate: true as const } : {}),
    ...(effect.review ? await reviewOf(effect.review, performance) : {}),
    ...(check.needs ? await textsFor(check.needs, performance) : {}),
    ...(costUsdMax === undefined ? {} : { costUsdMax }),
  }
  const ran: CheckResult =
    check && request
      ? await runOnce(check, request, watch?.context ?? plain)
      : {
          status: 'errored',
          fault: 'config',
          message: `No check is called "${name}".`,
          fix: 'Resume with the program or pawl.yaml that defines it.',
        }
  const endedBy = await watch?.end()
  const first = endedBy && !performance.signal.aborted ? endedReview(ran, endedBy) : ran
  const firstMs = Math.max(0, parts.clock.now() - startedAt)
  const isAgain = check && isRunAgain(check, first, state)
  if (isAgain) plain.progress(`running ${name} again: a test fails that passed before`)
  const second = isAgain && request ? await runOnce(check, request, plain) : undefined
  const both = second && first.status === 'failed' ? bothRuns(first, second, name, state) : undefined
  const result = both?.result ?? first
  if (check?.isReview) await putBack(effect, 'reviewer', performance)
  if (result.status === 'aborted') {
    if (performance.signal.aborted)
      return post(check?.reviewer ? [abandonedFact(result, { key, name }, parts.clock.now(), by)] : [])
    throw new PawlError(
      'check.aborted',
      `The check "${name}" says it was interrupted, but nobody interrupted it; this is a defect of its driver.`,
    )
  }
  const at = parts.clock.now()
  const output = result.output ? await textOf(parts.store, result.output) : {}
  const common = { key, name, durationMs: Math.max(0, at - startedAt), ...output }
  if (result.status === 'limited') {
    const { message, fix, retryAt, isOutage, isCeiling, isShared } = result
    const limit = { key, reason: 'failed', fault: 'provider-limit', message, durationMs: common.durationMs } as const
    const more = {
      ...(fix === undefined ? {} : { fix }),
      ...(retryAt === undefined ? {} : { retryAt }),
      ...(isOutage ? { isOutage } : {}),
      ...(isCeiling ? { isCeiling } : {}),
      ...(isShared ? { isShared } : {}),
    }
    return post([{ type: 'work.failed', at, by, data: { ...limit, ...usageOf(result), ...more } }])
  }
  if (result.status === 'errored') return post([erroredFact(result, common, at, by)])
  const tests = check?.isReview ? undefined : testChanges(state.measures.ledger, name, seenIn(result))
  const said = {
    ...common,
    tree,
    ...usageOf(result),
    ...saidBy(result),
    ...reviewerOf(check),
    ...(tests === undefined ? {} : { tests }),
    ...(both && first.status === 'failed' ? { firstRun: await firstRunOf(first, firstMs, parts.store) } : {}),
    ...(both && both.flaky.length > 0 ? { flaky: both.flaky.slice(0, FAILURES_KEPT_MAX) } : {}),
  }
  const failures =
    result.status === 'failed' ? result.failures.slice(0, FAILURES_KEPT_MAX).map((each) => markedFlaky(each, name, state)) : []
  const type = endingType(result.status, check?.isReview ?? false)
  await post([{ type, at, by, data: { ...said, failures } }, ...(effect.isLast ? await writtenBy(effect, performance) : [])])
}

async function runOnce(check: Check, request: CheckRequest, context: EffectContext): Promise<CheckResult> {
  return check.run(request, context).catch((error: unknown): CheckResult => ({
    status: 'errored',
    fault: 'config',
    message: `The check's driver failed: ${messageOf(error)}`,
  }))
}

/** What the checks of an iteration wrote, a cache or a report, is theirs; nothing if all is as it was. */
async function writtenBy({ key }: EffectOf<'check'>, { parts, state }: Performance): Promise<readonly Fact[]> {
  const { workspace, clock } = parts
  const { run, tree: known } = state
  // Most write nothing that counts, and then there is nothing to keep.
  if (!known || (await isAsKept(workspace, run, known.snapshot))) return []
  const { tree, snapshot, files, insertions, deletions } = await workspace.observe(run, key.replaceAll('/', '-'), known.snapshot)
  if (tree === known.tree) return []
  const changed = { files: files.slice(0, FILES_KEPT_MAX), filesChanged: files.length, insertions, deletions }
  const data = { key: `${key}/written`, tree, snapshot, ...changed }
  return [{ type: 'workspace.observed', at: clock.now(), by: { role: 'check' }, data }]
}

async function isAsKept(workspace: Workspace, run: string, snapshot: string): Promise<boolean> {
  if (workspace.isAsKept) return workspace.isAsKept(run, snapshot)
  return (await workspace.preview?.(run, snapshot))?.files.length === 0
}

/** A review that was ended gave no verdict. */
function endedReview(result: CheckResult, { message }: Trip): CheckResult {
  if (result.status !== 'aborted') return result
  const fix = 'Raise that limit, or choose another reviewer; then resume.'
  return { ...result, status: 'errored', fault: 'config', message: `The reviewer was ended: ${message}`, fix }
}

type Ended = Parameters<typeof seenIn>[0]

function endingType(status: Ended['status'], isReview: boolean): CheckEnding {
  if (isReview) return status === 'passed' ? 'review.approved' : 'review.rejected'
  return status === 'passed' ? 'check.passed' : 'check.failed'
}

type CheckEnding = 'check.passed' | 'check.failed' | 'review.approved' | 'review.rejected'

/** Who gave the review: with the verdict, for another may fill in the next time. */
function reviewerOf(check: Check | undefined): Pick<CheckEnded, 'reviewer'> {
  if (!check?.reviewer) return {}
  const { name: agent = '', model } = authorOf(check.reviewer.agent)
  return { reviewer: { agent, ...(model === undefined ? {} : { model }) } }
}

function saidBy({ exitCode, counts, summary }: Ended): Pick<CheckEnded, 'exitCode' | 'counts' | 'summary'> {
  return {
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(counts === undefined ? {} : { counts }),
    ...(summary === undefined ? {} : { summary }),
  }
}

/** A reviewer is shown everything that was changed since the work on the goal began. */
async function reviewOf(
  { brief, since }: NonNullable<EffectOf<'check'>['review']>,
  { parts, state }: Performance,
): Promise<Pick<CheckRequest, 'review'>> {
  const to = state.tree?.snapshot
  const diff = since !== undefined && to !== undefined ? await parts.workspace.diff(since, to) : undefined
  return { review: { brief, ...(diff === undefined ? {} : { diff: diff.text }) } }
}

/** The texts that a check wants to read besides the files. */
async function textsFor(
  needs: NonNullable<Check['needs']>,
  { parts, state }: Performance,
): Promise<Pick<CheckRequest, 'agentOutput' | 'notes' | 'workProduct'>> {
  const { current, notes, base, tree } = state
  const work = current.work.at(-1)
  const read = async (text: TextRef | undefined) => (text === undefined ? '' : ((await parts.store.getText(text)) ?? ''))
  return {
    ...(needs.includes('agentOutput') && work
      ? { agentOutput: [await read(work.said ?? work.output), work.summary ?? ''].filter((text) => text !== '').join('\n') }
      : {}),
    ...(needs.includes('notes') ? { notes: notes.join('\n') } : {}),
    // All that was changed since the work began, so that what one iteration leaves behind is still seen in the next.
    ...(needs.includes('workProduct') && base && tree
      ? { workProduct: (await parts.workspace.diff(base.snapshot, tree.snapshot)).text }
      : {}),
  }
}

function abandonedFact(used: Usage, which: { key: string; name: string }, at: number, by: Author): Fact {
  return { type: 'review.abandoned', at, by, data: { ...which, reason: INTERRUPTED, ...usageOf(used) } }
}

function erroredFact(
  result: Extract<CheckResult, { status: 'errored' }>,
  common: { key: string; name: string; durationMs: number },
  at: number,
  by: Author,
): Fact {
  const { fault, message, fix, isProgramMissing, isTargetMissing } = result
  const missing = { ...(isProgramMissing ? { isProgramMissing } : {}), ...(isTargetMissing ? { isTargetMissing } : {}) }
  const data = { ...common, ...usageOf(result), fault, ...missing, message, ...(fix === undefined ? {} : { fix }) }
  return { type: 'check.errored', at, by, data }
}
