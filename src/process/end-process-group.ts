import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessIdentity } from '../core/event-data.ts'
import { isVisibleFromHere } from './process-identity.ts'
import { lineageOf, readProcess, type ProcessEntry } from './process-table.ts'
import { workMembers, type WorkMembers } from './work-members.ts'

export interface EndProcessGroupOptions {
  /** How long what is ended may take to end itself after SIGTERM before it gets SIGKILL. Default 3 s. */
  readonly graceMs?: number
  /** Set by the parent that has just seen the leader exit: what is left of its group and session is then known to be its own. */
  readonly leaderJustExited?: boolean
  /**
   * Set where the program came to its own end: what it put into a session of its own, as one starts a daemon, may then work on. Default
   * false.
   */
  readonly sparesDaemons?: boolean
}

/**
 * What became of it. `ended`: something ran and all of it is gone. `already-gone`: none of it was left. `left-alone`: it could not
 * be proved to be ours (another host or container, or no mark on what is left), nothing was signalled. `still-there`: the system
 * did not let us end all of it.
 */
export type GroupEnd = 'ended' | 'already-gone' | 'left-alone' | 'still-there'

/**
 * Ends a recorded leader with all it started and resolves when that is gone: its process group, and on Linux also the other groups
 * of its session and what bears its mark.
 */
export async function endProcessGroup(identity: ProcessIdentity, options: EndProcessGroupOptions = {}): Promise<GroupEnd> {
  const { graceMs = 3000, leaderJustExited = false, sparesDaemons = false } = options
  if (!mayBeEnded(identity)) return 'left-alone'
  if (process.platform !== 'linux' && !signal(-identity.pid, 0)) return 'already-gone'
  let seen = workMembers(identity, { isNumberOurs: leaderJustExited, sparesDaemons })
  if (seen.members.length === 0) return seen.hasStrangers ? 'left-alone' : 'already-gone'
  // Once the number is proved to be ours it stays so while a member lives, also when the leader ends.
  const again = { isNumberOurs: seen.isNumberOurs, sparesDaemons }
  for (const [name, waitMsMax] of [['SIGTERM', graceMs] as const, ['SIGKILL', KILL_WAIT_MS] as const]) {
    const until = performance.now() + waitMsMax
    do {
      tell(identity.pid, seen, name)
      // What was told is waited for before we look again: a program that cleans up on SIGTERM starts others for it.
      await areGone(seen.members, until)
      seen = workMembers(identity, again)
      if (seen.members.length === 0) return 'ended'
    } while (performance.now() < until)
  }
  return 'still-there'
}

/** SIGKILL works at once, save on a process that hangs in the kernel or belongs to another user. */
const KILL_WAIT_MS = 5000

function mayBeEnded(identity: ProcessIdentity): boolean {
  const { pid } = identity
  // kill(-1) is everybody and kill(-0) is ourselves.
  if (!Number.isSafeInteger(pid) || pid <= 1) return false
  return isVisibleFromHere(identity) && !lineageOf(process.pid).some(({ group }) => group === pid)
}

/** The leader's group at one blow, so that none of it escapes by starting another; the others one by one, each the very one we saw. */
function tell(leader: number, { members, isNumberOurs }: WorkMembers, name: NodeJS.Signals): void {
  const isOfGroup = ({ group }: ProcessEntry): boolean => isNumberOurs && group === leader
  if (members.some(isOfGroup)) signal(-leader, name)
  for (const member of members) if (!isOfGroup(member) && isThere(member)) signal(member.pid, name)
}

/** Resolves when they are gone, or the time has come. */
async function areGone(members: readonly ProcessEntry[], until: number): Promise<void> {
  for (let pauseMs = 5; members.some(isThere); pauseMs = Math.min(pauseMs * 2, 100)) {
    const leftMs = until - performance.now()
    if (leftMs <= 0) return
    await sleep(Math.min(pauseMs, leftMs))
  }
}

function isThere({ pid, startedAt }: ProcessEntry): boolean {
  const present = readProcess(pid)
  return present !== undefined && !present.isZombie && present.startedAt === startedAt
}

/** `false` when it does not exist. One that we may not signal (EPERM) still exists. */
function signal(target: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, name)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ESRCH') return false
    if (code === 'EPERM') return true
    throw error
  }
}
