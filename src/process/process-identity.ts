import { hostname } from 'node:os'
import type { ProcessIdentity } from '../core/event-data.ts'
import { PawlError } from '../core/pawl-error.ts'
import { frameOf, readProcess } from './process-table.ts'

/** Who we are: for claims and for `run.resumed`. */
export function currentProcessIdentity(): ProcessIdentity {
  const identity = identityOf(process.pid)
  if (identity === undefined) {
    throw new PawlError(
      'process.identity.unavailable',
      'The system does not show this process its own start time; is /proc mounted?',
    )
  }
  return identity
}

/**
 * The identity of a process that is there now (a zombie too: it still owns its pid); `undefined` when there is none.
 * `startedAt` is opaque: on Linux boot id, pid namespace and start in clock ticks since boot; elsewhere what `ps` calls `lstart`.
 */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const entry = readProcess(pid)
  return entry && { pid, startedAt: entry.startedAt, host: hostname() }
}

/**
 * Whether the very process that was recorded still runs. A recycled pid, a reboot and a zombie are `false`. `'unknown'` where
 * it cannot be seen from here: another host, another pid namespace (a container that shares the host's name), or a process that
 * the system hides from us. `'unknown'` is truthy, so that who only asks `if (isProcessAlive(…))` errs on the side of "alive".
 */
export function isProcessAlive(identity: ProcessIdentity): boolean | 'unknown' {
  if (!isVisibleFromHere(identity)) return 'unknown'
  const entry = readProcess(identity.pid)
  if (entry === undefined) return isHidden(identity.pid) ? 'unknown' : false
  return entry.startedAt === identity.startedAt && !entry.isZombie
}

/** Whether this process can see the recorded one, if it is still there: same host, and same pid namespace since the same boot. */
export function isVisibleFromHere(identity: ProcessIdentity): boolean {
  if (identity.host !== hostname()) return false
  const recorded = frameOf(identity.startedAt)
  const present = frameOf(currentProcessIdentity().startedAt)
  return recorded?.boot !== present?.boot || recorded?.namespace === present?.namespace
}

/** `/proc` can be mounted so that it hides the processes of other users; signal 0 still meets them. */
function isHidden(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
