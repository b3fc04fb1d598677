import type { ProcessIdentity } from '../core/event-data.ts'
import { bearsMark } from './group-mark.ts'
import { allProcesses, lineageOf, startOrder, type ProcessEntry } from './process-table.ts'

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
