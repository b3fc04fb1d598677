import type { Fact } from '../core/event.ts'

/** Facts on their way into the journal, and whom to tell once they are there. */
export interface Delivery {
  readonly facts: readonly Fact[]
  /** Called once they are durable. */
  readonly accept: () => void
  /** Called if the journal did not take them. */
  readonly refuse: (error: unknown) => void
}

/** Where effects leave their facts, and the only way in which they reach the run. */
export interface Inbox {
  /** Resolves when the facts are in the journal. */
  post(facts: readonly Fact[]): Promise<void>
  /** Everything that has arrived, in order; waits for a delivery or until woken. Throws what `fail` was given. */
  take(): Promise<readonly Delivery[]>
  wake(): void
  /** Something that cannot become a fact went wrong. */
  fail(error: unknown): void
  /** Refuses what is in it and all that comes later, so that nobody waits for ever. */
  close(): void
}

/** An empty inbox. */
export function makeInbox(): Inbox {
  let deliveries: Delivery[] = []
  let failure: { readonly error: unknown } | undefined
  let isClosed = false
  let isWoken = false
  let wakeUp: (() => void) | undefined

  const wake = (): void => {
    isWoken = true
    wakeUp?.()
  }
  return {
    post: (facts) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(notDriven())
        deliveries.push({ facts, accept: resolve, refuse: reject })
        wake()
      }),
    take: async () => {
      if (!isWoken) await new Promise<void>((resolve) => (wakeUp = resolve))
      isWoken = false
      wakeUp = undefined
      if (failure) throw failure.error
      const taken = deliveries
      deliveries = []
      return taken
    },
    wake,
    fail: (error) => {
      failure ??= { error }
      wake()
    },
    close: () => {
      isClosed = true
      for (const delivery of deliveries) delivery.refuse(notDriven())
      deliveries = []
    },
  }
}

function notDriven(): Error {
  return new Error('The run is no longer driven by this process.')
}
