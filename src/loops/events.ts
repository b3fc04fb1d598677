import type { EventType } from '../core/event.ts'
import type { ParallelEventData } from './parallel/events.ts'
import type { ResearchEventData } from './research/events.ts'
import type { ReviewEventData } from './review/events.ts'
import type { PlanEventData } from './shared/plan.ts'
import type { PromiseEventData } from './shared/promises.ts'
import type { TestsEventData } from './task/fold.ts'

/** The event types of the core and of the built-in loops; `EventType` also has those that a program declares for loops of its own. */
export type BuiltInEventType =
  | Exclude<EventType, keyof Pawl.LoopEvents>
  | keyof PlanEventData
  | keyof PromiseEventData
  | keyof TestsEventData
  | keyof ParallelEventData
  | keyof ReviewEventData
  | keyof ResearchEventData
