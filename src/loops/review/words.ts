import { sayingIn, type Words } from '../../core/saying.ts'
import { counted } from '../../core/wording.ts'
import { SHARED_WORDS } from '../shared/words.ts'

/** What the review loop says to people. */
export const REVIEW_WORDS = {
  ...SHARED_WORDS,
  'review.ended.ask': () => 'Is it mended?',
  'review.grave': () => 'Every test passed, but a reviewer still finds:',
  'review.grave.finding': ({ finding }: { finding: string }) => `- ${finding}`,
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
  'review.decided.disputed': ({ messages }: { messages: string }) => `The tests pass, but that cannot be believed: ${messages}`,
  'review.decided.grave': ({ findings }: { findings: string }) => `Every test passed, but a reviewer still finds: ${findings}`,
  'review.decided.passed-after-repair': () => 'Every test passed on this tree, after a repair of the environment.',
  'review.decided.approved': () => 'Approved, and every test passed on this tree.',
  'review.decided.passed': ({ why, reworks }: { why: string; reworks: number }) =>
    `Every test passed on this tree, which ends the rework (${why}, rework cycle ${reworks}).`,
  'review.decided.environment': ({ trouble, repairs }: { trouble?: string; repairs: number }) => {
    const more = repairs > 0 ? ` It was repaired ${counted(repairs, 'time')} without success.` : ''
    return `The tests could not run properly: ${trouble ?? 'it is not known why.'}${more}`
  },
  'review.decided.failures': ({ count }: { count: number }) => `The tests of this item failed ${counted(count, 'time')}.`,
  'review.decided.waits': () => 'The work waits for a person to review it.',
  'review.decided.route': ({ route, summary }: { route: string; summary: string }) => `${route}: ${summary}`,
} satisfies Words

/** What a person's choice tells the coder. */
export function graveGuidance(findings: readonly string[]): string {
  return [
    'A person asks you to mend what the reviewer found, although the tests pass:',
    ...findings.map((finding) => `- ${finding}`),
  ].join('\n')
}

/** Names a sentence of the review loop. */
export const reviewSaying = sayingIn(REVIEW_WORDS)
