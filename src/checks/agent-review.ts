import type { Agent, WorkResult } from '../agents/agent.ts'
import type { Usage } from '../core/event-data.ts'
import type { EffectContext } from '../process/effect-context.ts'
import { lastLines } from '../process/last-lines.ts'
import { redactSaid } from '../secrets/filter.ts'
import type { Check, CheckRequest, CheckResult } from './check.ts'
import { byDefault, type EntriesOf, LINE, needed, settingsSchema } from '../schema/kinds.ts'
import { AGENT } from '../schema/part-kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { reviewAnswer } from './review-answer.ts'

export interface AgentReviewOptions {
  readonly agent: Agent
  /** What people call the check. Default `review`. */
  readonly name?: string
}

/**
 * Any agent as a reviewer. It gets the goal and the patch and must answer with a structured verdict. An unusable answer is requested once
 * more; after that the check has errored, which is not an approval.
 *
 * @part agent-review
 */
export function agentReview(options: AgentReviewOptions): Check {
  const { name } = readOptions('agentReview', OPTIONS, options, 'check.review')
  const { agent } = options
  return {
    name,
    isReview: true,
    reviewer: { agent, withAgent: (other) => agentReview({ agent: other, name }) },
    spec: { name: 'agent-review', v: 1, settings: { name, review: 'agent', agent: { ...agent.spec } } },
    run: async (request, context) => review(agent, name, request, context),
  }
}

async function review(agent: Agent, name: string, request: CheckRequest, context: EffectContext): Promise<CheckResult> {
  let brief = reviewerBrief(request)
  let used: Usage = {}
  for (let asked = 1; ; asked++) {
    const { run, iteration, cwd, costUsdMax } = request
    const money = costUsdMax === undefined ? {} : { costUsdMax }
    const result = await agent.work({ run, iteration, role: 'reviewer', brief, cwd, ...money }, context)
    used = added(used, result)
    if (result.status === 'aborted') return { status: 'aborted', ...used }
    if (result.status === 'asked') return { ...couldNot(name, { ...result, status: 'failed', fault: 'config' }), ...used }
    if (result.status !== 'finished') return { ...couldNot(name, result), ...used }
    const { output } = result
    const said = await redactSaid(result.words ?? output?.text ?? result.summary ?? '')
    const answer = reviewAnswer(said, name)
    const kept = output === undefined ? {} : { output }
    if (answer.verdict === 'approve') return { status: 'passed', summary: answer.summary, ...kept, ...used }
    if (answer.verdict === 'reject')
      return { status: 'failed', failures: answer.items, summary: answer.summary, ...kept, ...used }
    if (asked === ASKED_MAX) return { ...noVerdict(answer.problem, said), ...kept, ...used }
    context.progress(`The review could not be read (${answer.problem}); asking once more.`)
    brief = `${reviewerBrief(request)}\n# Your last answer could not be used\n${answer.problem}. Answer with the JSON object only.\n`
  }
}

const ASKED_MAX = 2

/** The goal comes from the loop; the form of the answer from this driver. */
function reviewerBrief({ review: asked }: CheckRequest): string {
  const { brief = '', diff } = asked ?? {}
  return `${brief}
# Your task
You are the reviewer. Judge whether this change reaches the goal, is correct and safe. Look at the files as much as you need; change
none. Reject only for what must be mended before it can be used; leave out matters of taste.
Answer with one JSON object and nothing else:
{"verdict": "approve" | "reject", "summary": "one or two sentences", "items": [{"severity": "security" | "critical" | "major" | "minor", "file": "path", "line": 1, "message": "what is wrong, and what would be right"}]}
${diff === undefined || diff.trim() === '' ? '' : `\n# The change\n\`\`\`diff\n${patch(diff)}\n\`\`\`\n`}`
}

const PATCH_CHARACTERS_MAX = 100_000

function patch(diff: string): string {
  if (diff.length <= PATCH_CHARACTERS_MAX) return diff.trimEnd()
  return `${diff.slice(0, PATCH_CHARACTERS_MAX).toWellFormed()}\n(${diff.length - PATCH_CHARACTERS_MAX} more characters are left out: look at the files)`
}

function couldNot(name: string, result: Extract<WorkResult, { status: 'failed' | 'timed-out' }>): CheckResult {
  const { status, fault, message, fix, retryAt, isOutage, isCeiling, isShared, output } = result
  const kept = output === undefined ? {} : { output }
  const mending = fix === undefined ? {} : { fix }
  if (fault === 'provider-limit')
    return {
      status: 'limited',
      message,
      ...mending,
      ...(retryAt === undefined ? {} : { retryAt }),
      ...(isOutage ? { isOutage } : {}),
      ...(isCeiling ? { isCeiling } : {}),
      ...(isShared ? { isShared } : {}),
      ...kept,
    }
  return {
    status: 'errored',
    fault: fault === 'config' ? 'config' : 'environment',
    message: `The reviewer could not work: ${message}`,
    fix:
      fix ??
      `${status === 'timed-out' ? 'Give it more time' : `Mend the agent of the check "${name}"`}, or choose another reviewer.`,
    ...kept,
  }
}

function noVerdict(problem: string, text: string): CheckResult {
  const said = lastLines(text, 3, 300)
  return {
    status: 'errored',
    fault: 'config',
    message: `The reviewer was asked twice and gave no verdict: ${problem}.${said === '' ? '' : ` It said: ${said}`}`,
    fix: 'Choose a reviewer that can answer in JSON, or approve or reject yourself: set the reviewer to `person`.',
  }
}

function added(before: Usage, { costUsd, tokens, isUsagePartial }: Usage): Usage {
  const cost = sum(before.costUsd, costUsd)
  const all = sum(before.tokens, tokens)
  return {
    ...(cost === undefined ? {} : { costUsd: cost }),
    ...(all === undefined ? {} : { tokens: all }),
    ...(before.isUsagePartial || isUsagePartial ? { isUsagePartial: true as const } : {}),
  }
}

/** Two unknown amounts are unknown, not 0. */
function sum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0)
}

const OPTIONS = settingsSchema({
  agent: needed(AGENT, 'Who reviews'),
  name: byDefault(LINE, 'review', 'What people call the check'),
} satisfies EntriesOf<AgentReviewOptions>)
