import type { Mailbox } from './mailbox.ts'
import type { DriveOptions } from './parts.ts'

/** Wakes the loop when it is to be paused, and now and then to see what other processes have appended. */
export interface OutsideWatch {
  /** Whether enough time went by since the last look; asking is looking. */
  isDue(): boolean
  stop(): void
}

/** Watches from now on, until stopped. */
export function outsideWatch(mail: Mailbox, { signal, pollMs = POLL_MS }: DriveOptions): OutsideWatch {
  let isDue = false
  const poll = setInterval(() => {
    isDue = true
    mail.wake()
  }, pollMs)
  signal?.addEventListener('abort', mail.wake)
  return {
    isDue: () => {
      const wasDue = isDue
      isDue = false
      return wasDue
    },
    stop: () => {
      clearInterval(poll)
      signal?.removeEventListener('abort', mail.wake)
    },
  }
}

const POLL_MS = 250
