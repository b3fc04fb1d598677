import { sayingIn, type Words } from '../../core/saying.ts'
import { isProven, type Proven, provenWords, SHARED_WORDS } from '../shared/words.ts'

/** What the Ralph loop says to people. */
export const RALPH_WORDS = {
  ...SHARED_WORDS,
  'ralph.blocked': ({ reason }: { reason?: string }) => `The agent says it cannot go on: ${reason ?? 'it gives no reason.'}`,
  'ralph.blocked.ask': () => 'What should it know, or what has to be mended for it?',
  'ralph.blocked.mended': () => 'It is mended: go on (say what the agent needs to know)',
  'ralph.step.read': ({ run }: { run: string }) => `Read what it tried and said before it gave up: pawl show ${run}`,
  'ralph.step.give': ({ run }: { run: string }) =>
    `Give it what it lacks (a key, an access, a decision), and say so with the answer: pawl answer ${run} 1 --note "…"`,
  'ralph.unclaimed': ({ promises }: { promises: string }) => `The checks pass. The agent did not say ${promises}.`,
  'ralph.more-asked-for': () => 'The checks pass. More iterations were asked for.',
  'ralph.ask.done': () => 'Is it done?',
  'ralph.accept.passing': () => 'The run is completed: the checks pass on what is there.',
  'ralph.decided.blocked': ({ reason }: { reason?: string }) =>
    `The agent says it is blocked: ${reason ?? 'it gives no reason.'}`,
  'ralph.decided.holds': ({ promise, ...proven }: { promise: string } & Partial<Proven>) =>
    isProven(proven) ? `${promise} holds. ${provenWords(proven)}` : `${promise} holds: every check passed on this tree.`,
  'ralph.decided.unprovable': ({ promise }: { promise: string }) =>
    `The agent says ${promise}, and there is no check or rule that could confirm it: a person has to say whether it is done.`,
  'ralph.decided.claimed': ({ promise, summary }: { promise: string; summary: string }) =>
    `The agent said ${promise}, but: ${summary}`,
  'ralph.decided.more': ({ number, min }: { number: number; min: number }) =>
    `The checks pass, but this is iteration ${number} of at least ${min}.`,
  'ralph.decided.unclaimed': ({ promises }: { promises: string }) => `The checks pass, but the agent did not say ${promises}.`,
} satisfies Words

/** Names a sentence of the Ralph loop. */
export const ralphSaying = sayingIn(RALPH_WORDS)
