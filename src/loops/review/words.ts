import { sayingIn, type Words } from '../../core/saying.ts'
import { counted } from '../../core/wording.ts'
import { isProven, type Proven, provenWords, SHARED_WORDS } from '../shared/words.ts'

/** What the review loop says to people. */
export const REVIEW_WORDS = {
  ...SHARED_WORDS,
  'review.ended.ask': () => 'Is it fixed?',
  'review.grave': () => 'Every test passed, but a reviewer still finds:',
  'review.grave.finding': ({ finding }: { finding: string }) => `- ${finding}`,
  'review.rejected': () => "Every test passed, but only the coder's own tests failed before. A reviewer still finds:",
  'review.grave.ask': () => 'Does it have to be fixed?',
  'review.grave.mend': () => 'Yes: have it fixed',
  'review.grave.mend.after': () => 'The coder gets the findings, and its work is reviewed again.',
  'review.grave.accept': () => 'No: accept it as done',
  'review.same-plan': () => 'Check the same plan again',
  'review.same-plan.after': () => 'It is refused again, unless the rule itself changed.',
  'review.step.correct-plan': ({ run }: { run: string }) =>
    `Correct the plan, then pass it to this run: pawl review PLAN --id ${run}`,
  'review.decided.repair': ({ message }: { message: string }) => `${message} The agent repairs it first.`,
  'review.decided.refused': ({ contract, message, rule }: { contract: string; message: string; rule: string }) =>
    `validation_failed:${contract}: ${message} (rule ${rule})`,
  'review.decided.agent-failed': ({ who, isTimedOut, message }: { who: string; isTimedOut: boolean; message: string }) =>
    `${who} ${isTimedOut ? 'ran out of time' : 'failed'}: ${message}`,
  'review.decided.rejected': ({ findings }: { findings: string }) =>
    `Every test passed, but that doesn't prove the item is done, and a reviewer still finds: ${findings}`,
  'review.decided.grave': ({ findings }: { findings: string }) => `Every test passed, but a reviewer still finds: ${findings}`,
  'review.decided.passed-after-repair': (proven: Partial<Proven>) =>
    withProof('Every test passed, after the environment was repaired.', proven),
  'review.decided.approved': (proven: Partial<Proven>) =>
    withProof(`${proven.level === 'reviewed' ? 'E' : 'Approved, and e'}very test passed.`, proven),
  'review.decided.passed': ({ why, reworks, ...proven }: { why: string; reworks: number } & Partial<Proven>) =>
    withProof(`Every test passed, which ends the rework (${why}, rework cycle ${reworks}).`, proven),
  'review.decided.environment': ({ trouble, repairs }: { trouble?: string; repairs: number }) => {
    const more = repairs > 0 ? ` It was repaired ${counted(repairs, 'time')} without success.` : ''
    return `The tests couldn't run properly: ${trouble ?? 'the cause is unknown.'}${more}`
  },
  'review.decided.failures': ({ count }: { count: number }) => `The tests of this item failed ${counted(count, 'time')}.`,
  'review.decided.route': ({ route, summary }: { route: string; summary: string }) => `${route}: ${summary}`,
} satisfies Words

function withProof(message: string, proven: Partial<Proven>): string {
  return isProven(proven) ? `${message} ${provenWords(proven)}` : message
}

/** What a person's choice tells the coder. */
export function graveGuidance(findings: readonly string[]): string {
  return [
    'A person asks you to fix what the reviewer found, although the tests pass:',
    ...findings.map((finding) => `- ${finding}`),
  ].join('\n')
}

/** Names a sentence of the review loop. */
export const reviewSaying = sayingIn(REVIEW_WORDS)
