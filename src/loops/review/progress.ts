import type { Seq } from '../../core/event.ts'
import type { PlanItem } from '../shared/plan.ts'

/** Where the work goes after a review. The first three of a rework have the tester decide. */
export type ReviewRoute = 'APPROVE' | 'ESCALATE_TESTING' | 'ESCALATE_CONVERGENCE' | 'REWORK_VIA_TESTER' | 'CODING'

/** Who works in a review, besides reviewers and tests. */
export type ReviewRole = 'planner' | 'coder' | 'repairer'

/** Why somebody was put to work. */
export type AssignmentTrigger = 'plan' | 'replan' | 'item_start' | 'item_advance' | 'rework' | 'repair'

/** What the tests come to. `environment` wins: where they could not run properly, they say nothing about the work. */
export type TestOutcomeKind = 'passed' | 'failed' | 'environment'

/** A short rule that a reviewer taught, and the item it comes from. */
export interface Lesson {
  readonly item: string
  readonly rule: string
}

/** Where a review loop is: the pass under way, and what is counted for the item. */
export interface ReviewProgress {
  /** Who works in the iteration under way; what follows it below belongs to the same iteration. */
  readonly assigned?: {
    readonly seq: Seq
    readonly iteration: number
    readonly role: ReviewRole
    readonly to: string
    readonly reason: string
  }
  /** Contracts that hold, and the round of checks they were looked at in. */
  readonly accepted: readonly { readonly contract: string; readonly round: Seq }[]
  readonly refused?: { readonly seq: Seq; readonly contract: string; readonly rule: string; readonly message: string }
  /** What the planner proposes, where it is at work. */
  readonly proposed?: { readonly seq: Seq; readonly items?: readonly PlanItem[]; readonly trouble?: string }
  /** How often the planner was put to work: in all, and since a person last answered. Default: never. */
  readonly plannings?: { readonly inAll: number; readonly sinceAnswer: number }
  /** The output that is on record. */
  readonly pass?: { readonly seq: Seq }
  readonly judged?: { readonly seq: Seq; readonly round: Seq; readonly route: ReviewRoute }
  readonly tested?: { readonly seq: Seq; readonly round: Seq; readonly outcome: TestOutcomeKind; readonly trouble?: string }
  /** The coder who worked last, over the items. */
  readonly coder?: string
  /** Whether the plan and the item were accepted by the coder. */
  readonly isPlanAccepted: boolean
  /** Iterations of this item whose review asked for rework, and those whose tests failed, since a person last answered. */
  readonly reworks: readonly number[]
  readonly testFailures: readonly number[]
  /** What the last review found that weighs as much as security does, and nobody has fixed yet; absent where there is nothing. */
  readonly graveFindings?: readonly string[]
  /** The last review asked for rework: what it found, and whether a person said so. Absent once a review approves. */
  readonly rejected?: { readonly findings: readonly string[]; readonly isByPerson?: true }
  /** The tree that the last review approved, and the reviewers by the names of their checks. */
  readonly approved?: { readonly tree: string; readonly names: readonly string[] }
  /** Files that tests wrote in this pass; once it is reviewed again, the reviewer has seen them. */
  readonly written?: readonly string[]
  /** Set if somebody changed files for this item; what checks write does not count. */
  readonly hasChanges?: true
  /** How often the environment was repaired for this item, since a person last answered. */
  readonly environmentRepairs: number
  /** Whether a repair of this item changed files of the project, and was reviewed. */
  readonly hasRepaired?: true
  /** What reviewers taught, the newest last; at most `LESSONS_MAX`. */
  readonly lessons: readonly Lesson[]
}

/** How many lessons are kept; the oldest are forgotten first. */
export const LESSONS_MAX = 20

/** How many characters of a coder's words its output keeps. */
export const SUMMARY_LENGTH_MAX = 300

/** Before anybody was put to work. */
export const initialReview: ReviewProgress = {
  accepted: [],
  isPlanAccepted: false,
  reworks: [],
  testFailures: [],
  environmentRepairs: 0,
  lessons: [],
}
