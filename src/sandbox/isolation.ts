import type { PartSpec } from '../core/run-config.ts'
import type { Refusal } from '../core/event-data.ts'
import type { Box, BoxNeeds } from '../process/box.ts'
import type { CommandTrouble } from '../process/command-trouble.ts'

/** What keeps agents and checks away from the rest of the machine. */
export interface Isolation {
  readonly spec: PartSpec
  /** Why it doesn't work on this machine; `undefined` if it does. Found by trying it. */
  ready(): Promise<CommandTrouble | undefined>
  open(request: BoxRequest): Promise<OpenBox>
}

export interface BoxRequest {
  /** The workspace. */
  readonly cwd: string
  /** A check gets no network. */
  readonly purpose: 'work' | 'check'
  readonly needs?: BoxNeeds
  /** Called as soon as something is refused. */
  readonly onRefusal?: (refusal: Refusal) => void
}

/** A box that a program can be started in, until it is closed. */
export interface OpenBox extends Box {
  /** What was refused so far, each once. */
  refusals(): readonly Refusal[]
  close(): Promise<void>
}
