export { advance, type Advance } from './core/advance.ts'
export type { Decision } from './core/decision.ts'
export type { Effect, EffectKey } from './core/effect.ts'
export type { Author, Event, EventType, Fact } from './core/event.ts'
export type { EventData, Fault, ProcessIdentity, TextRef, Usage } from './core/event-data.ts'
export { evolve, evolveAll } from './core/evolve.ts'
export type { Failure, TestCounts } from './core/failure.ts'
export type { Guard } from './core/guard.ts'
export { allOf, anyOf, not } from './core/guards/index.ts'
export { judge } from './core/judge.ts'
export type { Loop } from './core/loop.ts'
export { next } from './core/next.ts'
export type { Outcome, RunStatus } from './core/outcome.ts'
export { PawlError } from './core/pawl-error.ts'
export type { Option, Question } from './core/question.ts'
export type { RunConfig } from './core/run-config.ts'
export type { State } from './core/state.ts'
export type { Step } from './core/step.ts'
export type { Trip } from './core/trip.ts'
export { verifyChain } from './journal/hash-chain.ts'
export type { Agent, WorkRequest, WorkResult } from './ports/agent.ts'
export type { Captured } from './ports/captured.ts'
export type { Check, CheckRequest, CheckResult, Report, ReportParser } from './ports/check.ts'
export type { EffectContext } from './ports/effect-context.ts'
export type { Answer, Person } from './ports/person.ts'
export type { SealedEvent, Store } from './ports/store.ts'
export type { Observation, Restoration, Workspace } from './ports/workspace.ts'
export type { DriveResult, Held } from './runner/drive.ts'
export type { DriveOptions, Progress } from './runner/parts.ts'
export { createLoop, type LoopOptions, type PawlLoop } from './surfaces/library/create-loop.ts'
export {
  iterationCheck,
  type CheckDocument,
  type DecisionDocument,
  type EscalationContext,
  type IterationCheck,
  type IterationControl,
} from './surfaces/library/iteration-check.ts'
