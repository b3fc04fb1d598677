/** How long an agent is left alone with a provider that refuses it. */
export interface RefusalLimit {
  /** Aborted by whoever aborts the work, and when the provider has refused for too long. */
  readonly signal: AbortSignal
  /** Told again and again whether it is refused now: the time begins with the first refusal, and ends when it gets on. */
  see(isRefused: boolean): void
  /** Whether it was ended for that. */
  isOver(): boolean
  stop(): void
}

/** An agent may try again by itself for a while; after that whoever waits is Pawl, or another agent goes on. */
export function refusalLimit(given: AbortSignal, msMax: number): RefusalLimit {
  const over = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const stop = (): void => {
    clearTimeout(timer)
    timer = undefined
  }
  return {
    signal: AbortSignal.any([given, over.signal]),
    see: (isRefused) => {
      if (!isRefused) stop()
      else timer ??= setTimeout(() => over.abort(), msMax)
    },
    isOver: () => over.signal.aborted && !given.aborted,
    stop,
  }
}
