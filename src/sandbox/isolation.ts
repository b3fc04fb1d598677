import type { PartSpec } from '../core/run-config.ts'
import type { BoxRecord, Refusal } from '../core/event-data.ts'
import type { Box, BoxNeeds } from '../process/box.ts'
import type { CommandTrouble } from '../process/command-trouble.ts'

/** What keeps agents and checks away from the rest of the machine. */
export interface Isolation {
  readonly spec: PartSpec
  /** Set if it has programs of its own: those of this machine aren't in it. */
  readonly hasOwnPrograms?: true
  /** Why it doesn't work on this machine, or not for what an agent needs; `undefined` if it does. Found by trying it. */
  ready(needs?: BoxNeeds): Promise<CommandTrouble | undefined>
  open(request: BoxRequest): Promise<OpenBox>
}

export interface BoxRequest {
  /** The workspace. */
  readonly cwd: string
  /** The workspace, if `cwd` is a copy of it: packages in the copy are links into it. */
  readonly workspace?: string
  /** Folders that nothing in the box may see. */
  readonly hidden?: readonly string[]
  /** A check gets no network. */
  readonly purpose: 'work' | 'check'
  readonly needs?: BoxNeeds
  /** Called as soon as something is refused. */
  readonly onRefusal?: (refusal: Refusal) => void
}

/** A box that a program can be started in, until it is closed. */
export interface OpenBox extends Box {
  /** What it enforces, for the journal. */
  readonly enforced: BoxRecord
  /** What was refused so far, each once. */
  refusals(): readonly Refusal[]
  close(): Promise<void>
}
