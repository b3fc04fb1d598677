import type { RunConfig } from '../../core/run-config.ts'
import type { Store } from '../../ports/store.ts'
import { isProcessAlive } from '../../process/process-identity.ts'
import { runInFolder } from '../../runner/run-in-folder.ts'

/** Another run that a living process of this machine drives in the same folder. */
export async function otherRunInFolder(store: Store, run: string, config: RunConfig): Promise<string | undefined> {
  return runInFolder({ store, isAlive: isProcessAlive }, run, config)
}
