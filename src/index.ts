// The types of the built-in loops' events, slices and effects.
import './loops/events.ts'

export { advance, type Advance } from './core/advance.ts'
export type { AgentAsk, AskOption } from './core/agent-ask.ts'
export type { Decision } from './core/step.ts'
export { type Effect, effectKey } from './core/effect.ts'
export { type EffectKey } from './core/event-data.ts'
export type { Author, Event, EventType, Fact } from './core/event.ts'
export type { EventData, Fault, ProcessIdentity, TextRef, Usage } from './core/event-data.ts'
export { evolve, evolveAll } from './loops/evolve.ts'
export type { Failure, TestCounts } from './core/failure.ts'
export type { Guard } from './core/guard.ts'
export { allOf, anyOf, not } from './guards/index.ts'
export { judge } from './core/judge.ts'
export {
  foldsInOrder,
  foldWith,
  type Loop,
  type LoopFold,
  type LoopHandlers,
  type LoopPerformance,
  type Performer,
} from './core/loop.ts'
export { next } from './core/next.ts'
export type { EscalatedOutcome, Outcome, QuietOutcome, StoppedOutcome } from './core/outcome.ts'
export type { RunStatus } from './core/state.ts'
export { PawlError } from './core/pawl-error.ts'
export type { Option, Question } from './core/question.ts'
export type { RunConfig } from './core/run-config.ts'
export { isDone, type Slices, type State, withEffectDone, withSlice } from './core/state.ts'
export type { Step } from './core/step.ts'
export type { Trip } from './core/trip.ts'
export { keepSecret } from './secrets/known-values.ts'
export { verifyChain } from './journal/hash-chain.ts'
export type { Agent, WorkRequest, WorkResult } from './agents/agent.ts'
export { customAgent, type CustomAgentOptions, type CustomWork } from './agents/custom-agent.ts'
export type { Captured } from './process/output.ts'
export type { Check, CheckRequest, CheckResult, Report, ReportParser } from './checks/check.ts'
export type { AskAnswer, EffectContext } from './process/effect-context.ts'
export type { Answer, Person } from './engine/parts.ts'
export type { SealedEvent, Store } from './stores/store.ts'
export type { Observation, Restoration, Workspace } from './workspaces/workspace.ts'
export type { DriveResult, Held } from './engine/drive.ts'
export type { DriveOptions, Progress } from './engine/parts.ts'
export { createLoop, type LoopOptions, type PawlLoop } from './surfaces/library/create-loop.ts'
export { researchStep, type LeadHandIn, type ResearchStepOptions } from './surfaces/library/research-step.ts'
export {
  iterationCheck,
  type CheckDocument,
  type DecisionDocument,
  type EscalationContext,
  type IterationCheck,
  type IterationControl,
} from './surfaces/library/iteration-check.ts'
