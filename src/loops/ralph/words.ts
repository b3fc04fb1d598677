import { sayingIn, type Words } from '../../core/saying.ts'
import { isProven, type Proven, provenWords, SHARED_WORDS } from '../shared/words.ts'

/** What the Ralph loop says to people. */
export const RALPH_WORDS = {
  ...SHARED_WORDS,
  'ralph.blocked': ({ reason }: { reason?: string }) => `The agent says it can't continue: ${reason ?? 'it gives no reason.'}`,
  'ralph.blocked.ask': () => 'What does it need to know, or what has to be fixed for it?',
  'ralph.blocked.mended': () => 'It is fixed: continue (say what the agent needs to know with --note)',
  'ralph.step.read': ({ run }: { run: string }) => `See what it tried before it gave up: pawl show ${run}`,
  'ralph.step.give': ({ run }: { run: string }) =>
    `Give it what it lacks (a key, access, a decision), and say so: pawl answer ${run} 1 --note "…"`,
  'ralph.unclaimed': ({ promises }: { promises: string }) =>
    `The checks pass, but the agent's message doesn't end with the promise ${promises} alone on the last line.`,
  'ralph.more-asked-for': () => 'The checks pass, but you asked for more iterations.',
  'ralph.ask.done': () => 'Is it done?',
  'ralph.accept.passing': () => 'The run ends as a success: the checks pass.',
  'ralph.decided.blocked': ({ reason }: { reason?: string }) =>
    `The agent says it is blocked: ${reason ?? 'it gives no reason.'}`,
  'ralph.decided.holds': ({ promise, ...proven }: { promise: string } & Partial<Proven>) =>
    isProven(proven) ? `${promise} holds. ${provenWords(proven)}` : `${promise} holds: all checks passed.`,
  'ralph.decided.unprovable': ({ promise }: { promise: string }) =>
    `The agent says ${promise}, and no check or rule can confirm it: you decide whether it is done.`,
  'ralph.decided.claimed': ({ promise, summary }: { promise: string; summary: string }) =>
    `The agent said ${promise}, but: ${summary}`,
  'ralph.decided.more': ({ number, min }: { number: number; min: number }) =>
    `The checks pass, but this is iteration ${number} of at least ${min}.`,
  'ralph.decided.unclaimed': ({ promises }: { promises: string }) =>
    `The checks pass, but the agent's message doesn't end with the promise ${promises} alone on the last line.`,
} satisfies Words

/** Names a sentence of the Ralph loop. */
export const ralphSaying = sayingIn(RALPH_WORDS)
