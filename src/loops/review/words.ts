import { sayingIn, type Words } from '../../core/saying.ts'
import { counted } from '../../core/wording.ts'
import { isProven, type Proven, provenWords, SHARED_WORDS } from '../shared/words.ts'

/** What the review loop says to people. */
export const REVIEW_WORDS = {
  ...SHARED_WORDS,
  'review.ended.ask': () => 'Is it mended?',
  'review.grave': () => 'Every test passed, but a reviewer still finds:',
  'review.grave.finding': ({ finding }: { finding: string }) => `- ${finding}`,
  'review.rejected': () =>
    'Every test passed, but no test that the coder did not write failed before and passes now. A reviewer still finds:',
  'review.grave.ask': () => 'Does it have to be mended?',
  'review.grave.mend': () => 'Yes: have it mended',
  'review.grave.mend.after': () => 'The coder is told so, and its work is reviewed again.',
  'review.grave.accept': () => 'No: accept it as done',
  'review.same-plan': () => 'Look at the same plan again',
  'review.same-plan.after': () => 'It is refused again, unless the rule itself was changed.',
  'review.step.correct-plan': ({ run }: { run: string }) =>
    `Correct the plan, then give it to this run: pawl review PLAN --id ${run}`,
  'review.decided.repair': ({ message }: { message: string }) => `${message} It is to be repaired.`,
  'review.decided.refused': ({ contract, message, rule }: { contract: string; message: string; rule: string }) =>
    `validation_failed:${contract}: ${message} (rule ${rule})`,
  'review.decided.agent-failed': ({ who, isTimedOut, message }: { who: string; isTimedOut: boolean; message: string }) =>
    `${who} ${isTimedOut ? 'ran out of time' : 'failed'}: ${message}`,
  'review.decided.rejected': ({ findings }: { findings: string }) =>
    `Every test passed, but that does not prove that the item is done, and a reviewer still finds: ${findings}`,
  'review.decided.grave': ({ findings }: { findings: string }) => `Every test passed, but a reviewer still finds: ${findings}`,
  'review.decided.passed-after-repair': (proven: Partial<Proven>) =>
    withProof('Every test passed on this tree, after a repair of the environment.', proven),
  'review.decided.approved': (proven: Partial<Proven>) =>
    withProof(`${proven.level === 'reviewed' ? 'E' : 'Approved, and e'}very test passed on this tree.`, proven),
  'review.decided.passed': ({ why, reworks, ...proven }: { why: string; reworks: number } & Partial<Proven>) =>
    withProof(`Every test passed on this tree, which ends the rework (${why}, rework cycle ${reworks}).`, proven),
  'review.decided.environment': ({ trouble, repairs }: { trouble?: string; repairs: number }) => {
    const more = repairs > 0 ? ` It was repaired ${counted(repairs, 'time')} without success.` : ''
    return `The tests could not run properly: ${trouble ?? 'it is not known why.'}${more}`
  },
  'review.decided.failures': ({ count }: { count: number }) => `The tests of this item failed ${counted(count, 'time')}.`,
  'review.decided.waits': () => 'The work waits for a person to review it.',
  'review.decided.route': ({ route, summary }: { route: string; summary: string }) => `${route}: ${summary}`,
} satisfies Words

function withProof(message: string, proven: Partial<Proven>): string {
  return isProven(proven) ? `${message} ${provenWords(proven)}` : message
}

/** What a person's choice tells the coder. */
export function graveGuidance(findings: readonly string[]): string {
  return [
    'A person asks you to mend what the reviewer found, although the tests pass:',
    ...findings.map((finding) => `- ${finding}`),
  ].join('\n')
}

/** Names a sentence of the review loop. */
export const reviewSaying = sayingIn(REVIEW_WORDS)
