import type { EffectKey } from '../../core/event-data.ts'
import type { ProofLevel } from '../../core/proof.ts'

/** The words of parallel tasks and races, in the parent's journal. */
export interface ParallelEventData {
  /** What all children begin with, and the branch that the result is put on. */
  'queue.opened': {
    readonly key: EffectKey
    readonly tree: string
    readonly branch: string
    readonly tip?: string
    readonly isDirty?: true
  }
  /** A run is about to be driven for a child: on its task, or to merge what it did with what the others did. */
  'child.started': ChildStart & { readonly key: EffectKey }
  /** The child's run waits: for an answer, or because it could not continue. The others work on meanwhile. */
  'child.asked': { readonly key: EffectKey; readonly child: string; readonly run: string; readonly text: string }
  /** It continues: its question was answered. */
  'child.continued': { readonly key: EffectKey; readonly child: string; readonly run: string }
  /** The child's run is over. `stopped`: another one won the race. */
  'child.finished': ChildResult & { readonly key: EffectKey; readonly child: string; readonly run: string }
  /** The child's work is the queue's tip now. `as-is`: nothing came between; `contained`: the tip had all of it already. */
  'child.merged': {
    readonly key: EffectKey
    readonly child: string
    readonly tree: string
    readonly how: 'as-is' | 'merged' | 'contained'
    readonly commit?: string
    readonly tip?: string
  }
  /** Which child won a race, and by what. */
  'winner.chosen': { readonly child: string; readonly by: WonBy; readonly against?: string }
  /** Pawl stopped the losers of a race. */
  'losers.stopped': { readonly key: EffectKey; readonly children: readonly string[] }
  /** The result is on the branch that was asked for, or why not. */
  'result.landed': {
    readonly key: EffectKey
    readonly branch: string
    readonly result: 'done' | 'no-branch' | 'diverged' | 'in-the-way'
  }
}

/** By what a race is won. */
export type WonBy = 'only' | 'first' | 'proof' | 'failing' | 'diff' | 'cost' | 'order'

/** A run that is driven for a child. */
export interface ChildStart {
  readonly child: string
  readonly run: string
  readonly stage: 'work' | 'merge'
  /** Counted from 1 over all runs of the child. */
  readonly attempt: number
  /** The tree that it begins with. */
  readonly base: string
  /** For a merge: the tree that is laid into the worktree first, and what didn't merge. */
  readonly merged?: string
  readonly conflicts?: readonly string[]
}

/** What a child's run came to. */
export interface ChildResult {
  readonly status: 'proven' | 'failed' | 'stopped'
  readonly message: string
  /** What it left: absent if it never looked at its files. */
  readonly tree?: string
  readonly level?: ProofLevel
  /** Tests that fail still, because they failed before and are for other tasks. */
  readonly failing: number
  readonly lines: number
  readonly iterations: number
  readonly costUsd: number
  readonly tokens: number
  /** Set if some of its work has no cost. */
  readonly isCostPartial?: true
}

interface OwnEffect {
  readonly key: EffectKey
  readonly iteration: number
}

/** Opens the queue: what the user's files are now is where everything begins. */
export interface QueueEffect extends OwnEffect {
  readonly kind: 'queue'
}

/** Drives a child's run. */
export interface ChildEffect extends OwnEffect {
  readonly kind: 'child'
  readonly child: string
  /** The run to start; absent to continue the one that was started. */
  readonly start?: Pick<ChildStart, 'stage' | 'attempt' | 'run' | 'base'>
}

/** Takes a child's result as the queue's tip. */
export interface TakeEffect extends OwnEffect {
  readonly kind: 'take'
  readonly child: string
}

/** Ends the runs of those who lost. */
export interface StopEffect extends OwnEffect {
  readonly kind: 'stop-losers'
  readonly children: readonly string[]
}

/** Moves the branch that was asked for to the result. */
export interface LandEffect extends OwnEffect {
  readonly kind: 'land'
  readonly branch: string
}

declare global {
  namespace Pawl {
    interface LoopEvents extends ParallelEventData {}
    interface LoopSlices {
      /** How far parallel children are, and what is merged. */
      readonly parallel: ParallelProgress
    }
    interface LoopEffects {
      readonly queue: QueueEffect
      readonly child: ChildEffect
      readonly take: TakeEffect
      readonly 'stop-losers': StopEffect
      readonly land: LandEffect
    }
  }
}

/** How far a parallel run is. */
export interface ParallelProgress {
  /** The tree with everything that is merged; absent before the queue is open. */
  readonly tree?: string
  readonly branch?: string
  /** Tests that fail on that tree still, as the last proof of it said. Default 0. */
  readonly failing?: number
  /** The newest commit of the branch; absent while nothing differs from the commit that was checked out. */
  readonly tip?: string
  /** Set if your uncommitted changes are the branch's first commit. */
  readonly isDirty?: true
  /** Those that were started, by id. */
  readonly children: Readonly<Record<string, ChildProgress>>
  /** Ids in the order in which they were proven, and in which they were merged. */
  readonly proven: readonly string[]
  readonly merged: readonly string[]
  readonly winner?: ParallelEventData['winner.chosen']
  readonly areLosersStopped?: true
  readonly landed?: Omit<ParallelEventData['result.landed'], 'key'>
}

/** How far a child is. */
export interface ChildProgress extends ChildStart {
  readonly status: 'open' | 'working' | 'asking' | 'proven' | 'merged' | 'failed' | 'stopped'
  /** What it asks. */
  readonly asks?: string
  /** Of its last run that is over. */
  readonly result?: ChildResult
  /** What all its runs cost. */
  readonly costUsd: number
}
