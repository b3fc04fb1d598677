import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessIdentity } from '../core/event-data.ts'
import { isVisibleFromHere } from './process-identity.ts'
import { groupMembers, readProcess, startOrder, type ProcessEntry } from './process-table.ts'

/** Name of the variable by which the members of a group that we started can be told once its leader is gone. */
export const GROUP_VARIABLE = 'PAWL_PROCESS_GROUP'

/** The value of `GROUP_VARIABLE`: the same for no other group on this machine. */
export function groupMark(identity: ProcessIdentity): string {
  return `${identity.pid}@${identity.startedAt}`
}

export interface EndProcessGroupOptions {
  /** How long the group may take to end itself after SIGTERM before it gets SIGKILL. Default 3 s. */
  readonly graceMs?: number
  /** Set by the parent that has just seen the leader exit: what is left of the group is then known to be its own. */
  readonly leaderJustExited?: boolean
}

/**
 * What became of the group. `ended`: it ran and is gone. `already-gone`: none of it was left. `left-alone`: it could not be
 * proved to be ours (another host or container, or no mark on what is left), nothing was signalled. `still-there`: the system
 * did not let us end all of it.
 */
export type GroupEnd = 'ended' | 'already-gone' | 'left-alone' | 'still-there'

/** Ends the whole process group of a recorded leader and resolves when it is gone. */
export async function endProcessGroup(identity: ProcessIdentity, options: EndProcessGroupOptions = {}): Promise<GroupEnd> {
  const { graceMs = 3000, leaderJustExited = false } = options
  const ownership = ownershipOf(identity, leaderJustExited)
  if (ownership !== 'ours') return ownership
  signalGroup(identity.pid, 'SIGTERM')
  if (await isGoneWithin(identity.pid, graceMs)) return 'ended'
  signalGroup(identity.pid, 'SIGKILL')
  return (await isGoneWithin(identity.pid, KILL_WAIT_MS)) ? 'ended' : 'still-there'
}

/** SIGKILL works at once, save on a process that hangs in the kernel or belongs to another user. */
const KILL_WAIT_MS = 5000

function ownershipOf(identity: ProcessIdentity, leaderJustExited: boolean): 'ours' | 'already-gone' | 'left-alone' {
  const { pid } = identity
  // kill(-1) is everybody and kill(-0) is ourselves.
  if (!Number.isSafeInteger(pid) || pid <= 1 || readProcess(process.pid)?.group === pid) return 'left-alone'
  if (!isVisibleFromHere(identity)) return 'left-alone'
  const leader = readProcess(pid)
  // The system does not give a pid away again while a group has it as its number: a new owner means that the group is gone.
  if (leader !== undefined && leader.startedAt !== identity.startedAt) return 'already-gone'
  // Signal 0 only asks; it spares the reading of the whole table in the usual case.
  const members = signalGroup(pid, 0) ? livingMembers(pid) : []
  if (members.length === 0) return 'already-gone'
  if (leader !== undefined || leaderJustExited) return 'ours'
  // The leader is gone. Either these are what it left behind, or the number has been through other hands since.
  const isOurs =
    members.every((member) => startOrder(member.startedAt) >= startOrder(identity.startedAt)) &&
    members.some((member) => bearsMark(member, identity))
  return isOurs ? 'ours' : 'left-alone'
}

function livingMembers(group: number): readonly ProcessEntry[] {
  return groupMembers(group).filter((member) => !member.isZombie)
}

/** Only Linux shows a process's environment; elsewhere nothing is proved. */
function bearsMark(member: ProcessEntry, identity: ProcessIdentity): boolean {
  if (process.platform !== 'linux') return false
  try {
    return readFileSync(`/proc/${member.pid}/environ`, 'utf8')
      .split('\0')
      .includes(`${GROUP_VARIABLE}=${groupMark(identity)}`)
  } catch {
    // It has ended meanwhile, or is not ours to read: either way it proves nothing.
    return false
  }
}

async function isGoneWithin(group: number, waitMsMax: number): Promise<boolean> {
  const until = performance.now() + waitMsMax
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 100)) {
    if (!signalGroup(group, 0) || livingMembers(group).length === 0) return true
    const leftMs = until - performance.now()
    if (leftMs <= 0) return false
    await sleep(Math.min(pauseMs, leftMs))
  }
}

/** `false` when the group does not exist. A member we may not signal (EPERM) still exists. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ESRCH') return false
    if (code === 'EPERM') return true
    throw error
  }
}
