import { sayingIn, type Words } from '../../core/saying.ts'
import { counted } from '../../core/wording.ts'
import { SHARED_WORDS } from '../shared/words.ts'
import type { Event } from '../../core/event.ts'
import type { ParallelEventData, WonBy } from './events.ts'

/** By what a race was won, in words. */
const WON_BY: Readonly<Record<WonBy, string>> = {
  only: 'the only proven result',
  first: 'the first proven result',
  proof: 'the strongest proof',
  failing: 'fewer failing tests',
  diff: 'the smaller diff',
  cost: 'the lower cost',
  order: 'a tie, so the order of --agents decides',
}

/** What the parallel loop says to people. */
export const PARALLEL_WORDS = {
  ...SHARED_WORDS,
  'parallel.merged': ({ count, branch }: { count: number; branch: string }) =>
    `${count === 1 ? 'The task is' : `All ${count} tasks are`} merged and proven, on the branch ${branch}.`,
  'parallel.won': ({ child, by, against, branch }: { child: string; by: WonBy; against?: string; branch: string }) =>
    `${child} won: ${wonWords(by, against)}. Its work is on the branch ${branch}.`,
  'parallel.unmerged': ({ merged, count, failed }: { merged: number; count: number; failed: readonly string[] }) =>
    `${merged} of ${counted(count, 'task')} ${merged === 1 ? 'is' : 'are'} merged. Not merged: ${failed.join(', ')}.`,
  'parallel.no-winner': ({ count }: { count: number }) => `None of the ${counted(count, 'agent')} reached a proven result.`,
  'parallel.failed': ({ child, message }: { child: string; message: string }) => `- ${child}: ${message}`,
  'parallel.not-landed': ({ branch, result }: { branch: string; result: string }) =>
    `The result isn't on ${branch}: ${NOT_LANDED[result] ?? result}.`,
  'parallel.ask': () => 'How should it continue?',
  'parallel.again': () => 'Try again what is missing',
  'parallel.again.after': () => 'Pawl starts new runs for it, from what is merged by now.',
  'parallel.accept': ({ branch }: { branch: string }) => `Take what is on ${branch} as the result`,
  'parallel.accept.after': () => 'The run is completed. What is missing stays out.',
} satisfies Words

const NOT_LANDED: Readonly<Record<string, string>> = {
  'no-branch': 'there is no such branch',
  diverged: 'it has other commits by now, so merge it yourself',
  'in-the-way': 'your uncommitted changes are in the way, so commit or stash them first',
}

/** Names a sentence of the parallel loop. */
export const parallelSaying = sayingIn(PARALLEL_WORDS)

/** "the smaller diff than codex". */
export function wonWords(by: WonBy, against?: string): string {
  return `${WON_BY[by]}${against === undefined || by === 'first' || by === 'only' ? '' : ` (against ${against})`}`
}

/** Why a parallel run rests: only answers are missing. */
export function waitingWords(runs: readonly string[]): string {
  const [first = ''] = runs
  const many = runs.length === 1 ? `${first} needs your answer` : `${runs.join(' and ')} need your answers`
  return `${many}. Answer: pawl answer ${first} 1 --resume`
}

type EventWords = { readonly [Type in keyof ParallelEventData]: (event: Event<Type>) => string }

/** What `pawl log` says of the loop's events. */
export const parallelEventWords: EventWords = {
  'queue.opened': ({ data: { branch } }) => `everything begins with the files as they are, the result goes to ${branch}`,
  'child.started': ({ data: { child, run, stage, conflicts = [] } }) =>
    stage === 'work'
      ? `${child} begins: run ${run}`
      : `${child} is merged: run ${run}${conflicts.length === 0 ? '' : `, ${counted(conflicts.length, 'conflict')}`}`,
  'child.asked': ({ data: { child, run, text } }) => `${child} waits (pawl answer ${run}): ${text}`,
  'child.continued': ({ data: { child } }) => `${child} continues`,
  'child.finished': ({ data: { child, status, message } }) => `${child} ${status}: ${message}`,
  'child.merged': ({ data: { child, how, commit } }) =>
    `${child} ${how === 'contained' ? 'adds nothing new' : how === 'as-is' ? 'taken as it is' : 'merged and proven again'}${commit === undefined ? '' : `, commit ${commit.slice(0, 12)}`}`,
  'winner.chosen': ({ data: { child, by, against } }) => `${child}: ${wonWords(by, against)}`,
  'losers.stopped': ({ data: { children } }) => children.join(', '),
  'result.landed': ({ data: { branch, result } }) =>
    result === 'done' ? `on ${branch}` : `not on ${branch}: ${NOT_LANDED[result] ?? result}`,
}
