import type { Definition } from '../core/definition.ts'
import type { PartSpec, RunConfig } from '../core/run-config.ts'
import type { Agent } from '../agents/agent.ts'
import type { Check } from '../checks/check.ts'
import type { Box } from '../process/box.ts'
import type { EffectContext } from '../process/effect-context.ts'
import type { Clock } from '../process/clock.ts'
import type { Codebase } from '../codebase/codebase.ts'
import type { Processes } from '../process/processes.ts'
import type { SealedEvent, Store } from '../stores/store.ts'
import type { Workspace } from '../workspaces/workspace.ts'
import type { Question } from '../core/question.ts'
import type { Usage } from '../core/event-data.ts'

/** A box that is closed once its command is over. */
export interface ClosableBox extends Box {
  close(): Promise<void>
}

/** Everything a run is made of, handed to the runner whole. */
export interface Parts {
  readonly definition: Definition
  /** The same as data: what `run.started` records. */
  readonly config: RunConfig
  readonly agent: Agent
  readonly checks: readonly Check[]
  readonly workspace: Workspace
  /** The files that research is about; without it no citation can be verified, and research asks a person. */
  readonly codebase?: Codebase
  readonly store: Store
  readonly clock: Clock
  readonly processes: Processes
  /** Agents that play single roles, by the name of the role (`coder_a`); the others are played by `agent`. */
  readonly roles?: Readonly<Record<string, Agent>>
  /** Agents that continue when another cannot, in the order of `fallbacks` of the configuration. Default: none. */
  readonly fallbacks?: readonly Agent[]
  /** Builds an agent that a person put to work in place of `agent`: an expert. Without it no such run can be driven. */
  readonly agentOf?: (spec: PartSpec) => Agent | Promise<Agent>
  /** Builds a check that a person added to the run. Without it no such run can be driven. */
  readonly checkOf?: (spec: PartSpec) => Promise<Check>
  /** Builds the parts of another run of the same store, whose programs get these variables too. Without it no run with children can be driven. */
  readonly partsOf?: (config: RunConfig, variables: Readonly<Record<string, string>>) => Promise<Parts>
  /** Opens a box for a command of Pawl's own in a folder, as the run's isolation asks for. Default: none. */
  readonly boxFor?: (
    place: { readonly cwd: string; readonly box?: Box; readonly workspace?: string },
    purpose: 'work' | 'check',
    onRefusal?: EffectContext['refused'],
  ) => Promise<ClosableBox>
  /** The agent that puts questions into words; without one they are asked as they are. */
  readonly questioner?: Agent
  /** Where texts are put that a brief mentions; without it the brief doesn't mention them. */
  readonly textsFolder?: string
  /** Who can be asked right now; without one, a question ends the call and waits in the journal. */
  readonly person?: Person
  /** Set if undoing half-done work may also undo what others changed since the crash. Default: that is refused. */
  readonly mayUndo?: boolean
}

export interface DriveOptions {
  /** Aborting it pauses the run cleanly. */
  readonly signal?: AbortSignal
  /** An answer to the open question: it is appended together with what taking the run up says first, or not at all. */
  readonly answer?: Answer
  /** Called once it is on record that the run is taken up, before anything is done; what it throws pauses the run and is thrown from `run`. */
  readonly onTakenUp?: () => Promise<void>
  /** Whether undoing half-done work after a crash may also undo what others changed since. Default: `workspace.changed-since` is thrown. */
  readonly mayUndo?: boolean
  /** Told of every event once it is durable. */
  readonly onEvent?: (event: SealedEvent) => void
  /** Told what is happening now; never journaled. */
  readonly onProgress?: (progress: Progress) => void
  /** Returns once so many iterations ended here; the run stays as it is, for whoever drives it next. Default: no limit. */
  readonly iterationsMax?: number
  /** Returns where the run waits for a time; whoever called comes back then. Default: waits here. */
  readonly leavesTimers?: boolean
  /** How often other processes' facts (an answer, an abort) are looked for while an effect is under way. Default 250 ms. */
  readonly pollMs?: number
}

export interface Progress {
  readonly key: string
  readonly line: string
  /** What the agent used until now, if it reports that while it works. */
  readonly used?: Usage
}

export interface Answer {
  /** An option's `choice`, or its number from 1 as text. */
  readonly choice: string
  /** Guidance for the agent, in the person's words. */
  readonly note?: string
  /** Who answers, if known. */
  readonly by?: string
}

/** Someone who may be asked right now. `undefined` means: not now, the question stays open. */
export interface Person {
  ask(run: string, question: Question, signal: AbortSignal): Promise<Answer | undefined>
}
