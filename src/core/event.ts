import type { EventData } from './event-data.ts'

export type RunId = string

/** Place of an event in its run's journal, counted from 1. */
export type Seq = number

/** Milliseconds since the epoch. Pure code's only clock is the `at` of the last event. */
export type Instant = number

/** Who says so. `person` facts may be appended by anyone at any time; all others only by the holder of the run. */
export type Role = 'runner' | 'loop' | 'guard' | 'agent' | 'check' | 'workspace' | 'person'

export interface Author {
  readonly role: Role
  /** The driver, guard, check or person. */
  readonly name?: string
  readonly model?: string
}

export type EventType = keyof EventData

/** Something that happened, before the journal gave it a place. */
export type Fact<Type extends EventType = EventType> = {
  [Each in Type]: {
    readonly type: Each
    readonly at: Instant
    readonly by: Author
    /** The `seq` this answers to. */
    readonly because?: Seq
    readonly data: EventData[Each]
  }
}[Type]

/** A fact with its place in a journal. Events are appended, never changed. */
export type Event<Type extends EventType = EventType> = {
  [Each in Type]: Fact<Each> & { readonly seq: Seq; readonly run: RunId; readonly v: number }
}[Type]

/** Version of an event's `data`; older ones are upcast when read (see `journal/upcast.ts`). */
export const EVENT_VERSION = 1

/** An event exactly as a store keeps it: `data` is that of the version `v` it was written in, not yet upcast. */
export interface StoredEvent {
  readonly seq: Seq
  readonly run: RunId
  readonly at: Instant
  readonly type: EventType
  readonly v: number
  readonly by: Author
  readonly because?: Seq
  readonly data: unknown
  /** Covers all the other fields and the hash before it. */
  readonly hash: string
}
