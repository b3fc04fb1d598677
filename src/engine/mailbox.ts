import type { Fact } from '../core/event.ts'

/** Facts on their way into the journal, and what to do once they are there. */
export interface Letter {
  readonly facts: readonly Fact[]
  readonly durable: () => void
  /** The journal did not take them. */
  readonly refused: (error: unknown) => void
}

/** Where effects leave their facts, and the only door through which they reach the run. */
export interface Mailbox {
  /** Resolves when the facts are in the journal. */
  post(facts: readonly Fact[]): Promise<void>
  /** Everything that has arrived, in order; waits for a letter or until woken. Throws what `fail` was given. */
  take(): Promise<readonly Letter[]>
  wake(): void
  /** Something that cannot become a fact went wrong. */
  fail(error: unknown): void
  /** Refuses what is in it and all that comes later, so that nobody waits for ever. */
  close(): void
}

/** An empty mailbox. */
export function mailbox(): Mailbox {
  let letters: Letter[] = []
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
        letters.push({ facts, durable: resolve, refused: reject })
        wake()
      }),
    take: async () => {
      if (!isWoken) await new Promise<void>((resolve) => (wakeUp = resolve))
      isWoken = false
      wakeUp = undefined
      if (failure) throw failure.error
      const taken = letters
      letters = []
      return taken
    },
    wake,
    fail: (error) => {
      failure ??= { error }
      wake()
    },
    close: () => {
      isClosed = true
      for (const letter of letters) letter.refused(notDriven())
      letters = []
    },
  }
}

function notDriven(): Error {
  return new Error('The run is no longer driven by this process.')
}
