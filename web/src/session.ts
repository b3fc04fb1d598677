import { signal } from '@preact/signals'
import { get, isReport } from './api.ts'
import type { SessionView } from './types.ts'

/** What this server can do, once it has said so. */
export const session = signal<SessionView | undefined>(undefined)

if (!isReport)
  get<SessionView>('/session').then(
    (found) => (session.value = found),
    () => undefined,
  )
