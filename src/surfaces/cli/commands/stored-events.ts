import type { StoredEvent } from '../../../journal/stored-event.ts'
import type { Store } from '../../../ports/store.ts'

/** A run's events exactly as they were written, which is what their hashes cover; a store without old versions has no others. */
export async function storedEvents(store: Store, run: string): Promise<readonly StoredEvent[]> {
  const { readStored } = store as Store & { readStored?: (run: string) => Promise<readonly StoredEvent[]> }
  return readStored ? readStored(run) : store.read(run)
}
