import type { EffectKey } from '../../core/event-data.ts'
import type { Json } from '../../core/json.ts'
import type { PlanItem } from '../shared/plan.ts'
import type { AssignmentTrigger, Lesson, ReviewProgress, ReviewRole, ReviewRoute, TestOutcomeKind } from './progress.ts'

/** One pass at an item of a review; `reworkCycle` counts the reviews of the item that asked for rework, this one included. */
interface ItemPass {
  readonly item: string
  readonly iteration: number
  readonly reworkCycle: number
}

/** The words of the review loop in the journal. */
export interface ReviewEventData {
  /** What a planner answered: items, or why its answer is no plan. */
  'plan.proposed': { readonly key: EffectKey; readonly items?: readonly PlanItem[]; readonly trouble?: string }
  /** Who works in an iteration, and why it is they. */
  'role.assigned': ItemPass & {
    readonly role: ReviewRole
    readonly trigger: AssignmentTrigger
    readonly from?: string
    readonly to: string
    readonly reason: string
  }
  /** The named contract between two roles holds; `isOfPlan` where it is about the plan and not about one pass. */
  'handoff.accepted': { readonly contract: string; readonly iteration: number; readonly isOfPlan?: true }
  'handoff.refused': {
    readonly contract: string
    readonly iteration: number
    readonly rule: string
    readonly message: string
    /** What breaks the rule. */
    readonly value: Json
  }
  /** What somebody's pass came to; its verdict is a later fact that points here. */
  'pass.recorded': ItemPass & {
    readonly role: ReviewRole
    readonly coder: string
    /** What they said of it, at most `SUMMARY_LENGTH_MAX` characters. */
    readonly summary: string
    readonly failed?: string
  }
  /** The review of a pass and where it leads, with the numbers it rests on. */
  'pass.judged': ItemPass & {
    readonly verdict: 'APPROVE' | 'REWORK' | 'ESCALATE_TESTING' | 'ESCALATE_CONVERGENCE'
    readonly route: ReviewRoute
    readonly similarity?: number
    readonly convergenceDetected?: true
  }
  'tests.judged': {
    readonly item: string
    readonly iteration: number
    readonly outcome: TestOutcomeKind
    /** Why they could not run. */
    readonly trouble?: string
  }
  /** What was approved is on a branch of the run's own; without `commit` there was nothing to be committed. */
  'commit.created': {
    readonly key: EffectKey
    /** Empty for the state of the files before any work. */
    readonly item: string
    readonly branch: string
    readonly commit?: string
    /** The commit at which the branch stands, or is to begin. */
    readonly tip?: string
  }
  /** A short rule that a review teaches, for the items that follow. */
  'lesson.learned': Lesson & { readonly iteration: number }
}

/** Puts the files as they are on a branch of the run's own. */
export interface CommitEffect {
  readonly kind: 'commit'
  readonly key: EffectKey
  readonly iteration: number
  readonly item: string
  readonly branch: string
  readonly message: string
}

declare global {
  namespace Pawl {
    interface LoopEvents extends ReviewEventData {}
    interface LoopSlices {
      /** Where a review loop is. */
      readonly review: ReviewProgress
      /** The commit at which the run's own branch stands, or is to begin. */
      readonly commits: { readonly tip: string }
    }
    interface LoopEffects {
      readonly commit: CommitEffect
    }
  }
}
