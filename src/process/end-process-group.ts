import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessIdentity } from '../core/event-data.ts'
import { allProcesses, isVisibleFromHere, lineageOf, type ProcessEntry, readProcess, startOrder } from './process-identity.ts'

export interface EndProcessGroupOptions {
  /** How long a process may take to end after SIGTERM before it gets SIGKILL. Default 3 s. */
  readonly graceMs?: number
  /** Set by the parent that has just seen the leader exit: the rest of its group and session is then known to be its own. */
  readonly leaderJustExited?: boolean
  /**
   * Set if the program ended by itself: daemons, which it put into sessions of their own, may then continue. Default false.
   */
  readonly sparesDaemons?: boolean
}

/**
 * `ended`: something ran and all of it is gone. `already-gone`: nothing was left. `left-alone`: nothing proved that it is ours (another
 * host or container, or no mark), so nothing was signalled. `still-there`: the system didn't let us end all of it.
 */
export type GroupEnd = 'ended' | 'already-gone' | 'left-alone' | 'still-there'

/**
 * Ends a recorded leader with everything it started, and resolves when all of it is gone: its process group, and on Linux also the
 * other groups of its session and every process with its mark.
 */
export async function endProcessGroup(identity: ProcessIdentity, options: EndProcessGroupOptions = {}): Promise<GroupEnd> {
  const { graceMs = 3000, leaderJustExited = false, sparesDaemons = false } = options
  if (!mayBeEnded(identity)) return 'left-alone'
  if (process.platform !== 'linux' && !signal(-identity.pid, 0)) return 'already-gone'
  let seen = workMembers(identity, { isNumberOurs: leaderJustExited, sparesDaemons })
  if (seen.members.length === 0) return seen.hasStrangers ? 'left-alone' : 'already-gone'
  // Once the number is known to be ours, it remains so while a member lives, even if the leader ends.
  const again = { isNumberOurs: seen.isNumberOurs, sparesDaemons }
  for (const [name, waitMsMax] of [['SIGTERM', graceMs] as const, ['SIGKILL', KILL_WAIT_MS] as const]) {
    const until = performance.now() + waitMsMax
    do {
      signalAll(identity.pid, seen, name)
      // Wait for these before looking again: a program that cleans up on SIGTERM starts others for it.
      await areGone(seen.members, until)
      seen = workMembers(identity, again)
      if (seen.members.length === 0) return 'ended'
    } while (performance.now() < until)
  }
  return 'still-there'
}

/** SIGKILL works at once, except on a process that hangs in the kernel or belongs to another user. */
const KILL_WAIT_MS = 5000

function mayBeEnded(identity: ProcessIdentity): boolean {
  const { pid } = identity
  // kill(-1) means every process, and kill(-0) ourselves.
  if (!Number.isSafeInteger(pid) || pid <= 1) return false
  return isVisibleFromHere(identity) && !lineageOf(process.pid).some(({ group }) => group === pid)
}

/** Signals the leader's group as a whole, so that nothing escapes by starting another process; the others one by one, if they are still the same. */
function signalAll(leader: number, { members, isNumberOurs }: WorkMembers, name: NodeJS.Signals): void {
  const isOfGroup = ({ group }: ProcessEntry): boolean => isNumberOurs && group === leader
  if (members.some(isOfGroup)) signal(-leader, name)
  for (const member of members) if (!isOfGroup(member) && isThere(member)) signal(member.pid, name)
}

/** Resolves when they are gone, or at `until`. */
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

/** `false` if it doesn't exist. A process that we may not signal (EPERM) exists. */
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

export interface WorkMembersOptions {
  /** Set if a group or session with the leader's pid as its number is known to be the leader's. */
  readonly isNumberOurs: boolean
  /** Leaves out processes that moved to their own session, as daemons do. */
  readonly sparesDaemons: boolean
}

/** The processes of a piece of work that are alive. */
export interface WorkMembers {
  readonly members: readonly ProcessEntry[]
  /** Whether the group and the session with the leader's number are the leader's. */
  readonly isNumberOurs: boolean
  /** Set if something has the leader's number, but nothing proves that it is the leader's. */
  readonly hasStrangers: boolean
}

/**
 * Searches the process table for what a leader started: its group, on Linux also the other groups of its session (made by `timeout` and
 * shells with job control) and every process with its mark (`setsid` doesn't remove it). Never this process or its ancestors.
 */
export function workMembers(identity: ProcessIdentity, { isNumberOurs, sparesDaemons }: WorkMembersOptions): WorkMembers {
  const { pid, startedAt } = identity
  const table = allProcesses()
  const leader = table.find((entry) => entry.pid === pid)
  const above = new Set(lineageOf(process.pid, table).map((entry) => entry.pid))
  // Nothing that the leader started is older than the leader.
  const since = startOrder(startedAt)
  const living = table.filter((entry) => !entry.isZombie && entry.pid > 1 && !above.has(entry.pid))
  const numbered = living.filter(({ group, session }) => group === pid || session === pid)
  // The system doesn't reuse a pid while a group or session has it as its number: a new owner means that both are gone.
  const isTaken = leader !== undefined && leader.startedAt !== startedAt
  const isProved = (): boolean =>
    numbered.every((entry) => startOrder(entry.startedAt) >= since) && numbered.some((entry) => bearsMark(entry, identity))
  const isOurs = !isTaken && (isNumberOurs || leader !== undefined || isProved())
  const byNumber = isOurs ? numbered : []
  const byMark = sparesDaemons
    ? []
    : living.filter((entry) => !byNumber.includes(entry) && startOrder(entry.startedAt) >= since && bearsMark(entry, identity))
  return { members: [...byNumber, ...byMark], isNumberOurs: isOurs, hasStrangers: !isTaken && !isOurs && numbered.length > 0 }
}

/** The variable that identifies everything a program started, whatever session or group it moved to. */
export const GROUP_VARIABLE = 'PAWL_PROCESS_GROUP'

/**
 * The value of `GROUP_VARIABLE`, unique on this machine. A Pawl that runs within another one's work replaces the outer mark, so each
 * finds only what it started itself.
 */
export function groupMark(identity: ProcessIdentity): string {
  return `${identity.pid}@${identity.startedAt}`
}

/** Whether a process inherited the mark. Only Linux shows a process's environment; elsewhere `false`. */
export function bearsMark(entry: ProcessEntry, identity: ProcessIdentity): boolean {
  if (process.platform !== 'linux') return false
  try {
    return readFileSync(`/proc/${entry.pid}/environ`, 'utf8')
      .split('\0')
      .includes(`${GROUP_VARIABLE}=${groupMark(identity)}`)
  } catch {
    // It has ended meanwhile, or we may not read it: that proves nothing.
    return false
  }
}
