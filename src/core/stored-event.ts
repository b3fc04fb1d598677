import type { Author, EventType, Instant, RunId, Seq } from './event.ts'

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
