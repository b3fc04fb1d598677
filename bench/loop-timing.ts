/** What a program that runs a loop in a process of its own prints. */
export interface LoopTiming {
  readonly durationMs: number
  /** On disk, once closed. */
  readonly bytes: number
}
