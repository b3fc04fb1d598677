import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessIdentity } from '../core/event-data.ts'
import { allProcesses, isVisibleFromHere, lineageOf, type ProcessEntry, readProcess, startOrder } from './process-identity.ts'

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

export interface WorkMembersOptions {
  /** Set where what has the leader's pid as the number of its group or session is known to be the leader's. */
  readonly isNumberOurs: boolean
  /** Leaves out what went into a session of its own, as daemons do. */
  readonly sparesDaemons: boolean
}

/** What is alive of a piece of work. */
export interface WorkMembers {
  readonly members: readonly ProcessEntry[]
  /** Whether the group and the session with the leader's number are the leader's. */
  readonly isNumberOurs: boolean
  /** Set where something has the leader's number and nothing proves that it is the leader's. */
  readonly hasStrangers: boolean
}

/**
 * Looks once through the table of processes for what a leader started: its group, on Linux also the other groups of its session
 * (`timeout` and shells with job control make such) and whatever bears its mark (`setsid` does not take that away). Never we
 * ourselves, nor one that we descend from.
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
  // The system does not give a pid away again while a group or session has it as its number: a new owner means that both are gone.
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

/** Name of the variable by which what a program that we started has started itself can be told, wherever it went. */
export const GROUP_VARIABLE = 'PAWL_PROCESS_GROUP'

/**
 * The value of `GROUP_VARIABLE`: the same for no other program on this machine. A Pawl within the work of another one gives what it
 * starts a mark of its own in place of the outer one, so each of the two finds only what it started itself.
 */
export function groupMark(identity: ProcessIdentity): string {
  return `${identity.pid}@${identity.startedAt}`
}

/** Whether a process inherited the mark. Only Linux shows a process's environment; elsewhere nothing is proved. */
export function bearsMark(entry: ProcessEntry, identity: ProcessIdentity): boolean {
  if (process.platform !== 'linux') return false
  try {
    return readFileSync(`/proc/${entry.pid}/environ`, 'utf8')
      .split('\0')
      .includes(`${GROUP_VARIABLE}=${groupMark(identity)}`)
  } catch {
    // It has ended meanwhile, or is not ours to read: either way it proves nothing.
    return false
  }
}
