/** What a program that runs a loop in its own process prints. */
export interface LoopTiming {
  readonly durationMs: number
  /** On disk, once closed. */
  readonly bytes: number
}
