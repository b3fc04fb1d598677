import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { ProcessIdentity } from '../core/event-data.ts'
import { PawlError } from '../core/pawl-error.ts'

let current: ProcessIdentity | undefined

/** Who we are: for claims and for `run.resumed`. Read once, because it never changes. */
export function currentProcessIdentity(): ProcessIdentity {
  current ??= identityOf(process.pid)
  if (current === undefined) {
    throw new PawlError(
      'process.identity.unavailable',
      'The system does not show this process its own start time; is /proc mounted?',
    )
  }
  return current
}

/**
 * The identity of an existing process (including a zombie, which still owns its pid); `undefined` if there is none. `startedAt` is
 * opaque: on Linux boot id, pid namespace and start in clock ticks since boot; elsewhere `lstart` of `ps`.
 */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const entry = readProcess(pid)
  return entry && { pid, startedAt: entry.startedAt, host: hostname() }
}

/**
 * Whether the recorded process still runs. `false` for a recycled pid, after a reboot and for a zombie. `'unknown'` if it can't be seen
 * from here: another host, another pid namespace (a container with the host's name), or a process that the system hides. `'unknown'`
 * is truthy, so that `if (isProcessAlive(…))` errs on the side of "alive".
 */
export function isProcessAlive(identity: ProcessIdentity): boolean | 'unknown' {
  if (!isVisibleFromHere(identity)) return 'unknown'
  const entry = readProcess(identity.pid)
  if (entry === undefined) return isHidden(identity.pid) ? 'unknown' : false
  return entry.startedAt === identity.startedAt && !entry.isZombie
}

/** Whether this process could see the recorded one: same host, and same pid namespace since the same boot. */
export function isVisibleFromHere(identity: ProcessIdentity): boolean {
  if (identity.host !== hostname()) return false
  const recorded = frameOf(identity.startedAt)
  const present = frameOf(currentProcessIdentity().startedAt)
  return recorded?.boot !== present?.boot || recorded?.namespace === present?.namespace
}

/** `/proc` can be mounted so that it hides other users' processes; signal 0 still reaches them. */
function isHidden(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * The recorded process that a process works for: it is a descendant, or in its session or group. `undefined` if there is none that
 * still exists and can be seen from here.
 */
export function processAround(recorded: readonly ProcessIdentity[], around = process.pid): ProcessIdentity | undefined {
  const visible = recorded.filter(isVisibleFromHere)
  if (visible.length === 0) return undefined
  const numbers = new Set(lineageOf(around).flatMap(({ pid, group, session }) => [pid, group, session]))
  return visible.find(({ pid, startedAt }) => numbers.has(pid) && readProcess(pid)?.startedAt === startedAt)
}

/** The environment of a process and of those it was started by, each as it was at its start, as far as the system shows them. */
export function environmentsAround(around = process.pid): readonly NodeJS.ProcessEnv[] {
  const lineage = process.platform === 'linux' ? lineageOf(around) : []
  const above = lineage.slice(1).map(({ pid }) => environmentOf(pid))
  return [around === process.pid ? process.env : environmentOf(around), ...above]
}

function environmentOf(pid: number): NodeJS.ProcessEnv {
  try {
    const lines = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
    return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].some((code) => isCode(error, code))) return {}
    throw error
  }
}

/** One process as the system's table shows it. */
export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  /** Only Linux reports it as a number. */
  readonly session?: number
  /** Differs for every process that ever has this pid; see `startOrder`. */
  readonly startedAt: string
  /** It has ended, and its parent hasn't noticed yet. */
  readonly isZombie: boolean
}

/** The process with this pid, zombies included; `undefined` if there is none, or it is hidden. */
export function readProcess(pid: number): ProcessEntry | undefined {
  return process.platform === 'linux' ? readFromProc(pid) : readFromPs(['-p', String(pid)])[0]
}

/** Every process that can be seen from here, zombies included. */
export function allProcesses(): readonly ProcessEntry[] {
  if (process.platform !== 'linux') return readFromPs(['-A'])
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readFromProc(Number(name)))
    .filter((entry) => entry !== undefined)
}

/** A process and its ancestors, the nearest first, as far as they can be seen; from the given table, or read now. */
export function lineageOf(pid: number, table?: readonly ProcessEntry[]): readonly ProcessEntry[] {
  const read = !table && process.platform === 'linux' ? readFromProc : lookUpIn(table ?? readFromPs(['-A']))
  const lineage: ProcessEntry[] = []
  for (let next = pid; next > 0 && lineage.length < LINEAGE_LENGTH_MAX;) {
    const entry = read(next)
    if (!entry) break
    lineage.push(entry)
    next = entry.parent
  }
  return lineage
}

/** The table changes while it is read, so a lineage could be circular. */
const LINEAGE_LENGTH_MAX = 200

function lookUpIn(entries: readonly ProcessEntry[]): (pid: number) => ProcessEntry | undefined {
  const table = new Map(entries.map((entry) => [entry.pid, entry]))
  return (pid) => table.get(pid)
}

/**
 * The boot and the pid namespace (container, sandbox) in which a pid has a meaning. `undefined` if the system doesn't report them; then
 * the start is a date, which needs no frame.
 */
export function frameOf(startedAt: string): { readonly boot: string; readonly namespace: string } | undefined {
  const [boot, namespace, ticks] = startedAt.split('/')
  return boot && namespace && ticks ? { boot, namespace } : undefined
}

/** The start as a number that grows with time, comparable within one frame. */
export function startOrder(startedAt: string): number {
  return frameOf(startedAt) === undefined ? Date.parse(startedAt) : Number(startedAt.split('/')[2])
}

let frame: string | undefined

/** Read once: neither can change while this process lives. */
function presentFrame(): string {
  if (frame === undefined) {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0'
    frame = `${boot}/${namespace}`
  }
  return frame
}

function readFromProc(pid: number): ProcessEntry | undefined {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch (error) {
    // ESRCH: it ended between opening and reading. EACCES and EPERM: /proc hides another user's process.
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].some((code) => isCode(error, code))) return undefined
    throw error
  }
  // The name (field 2) may contain spaces and brackets, so count from the last bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, parent, group, session] = fields
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startedAt: `${presentFrame()}/${fields[19]}`,
    isZombie: state === 'Z' || state === 'X',
  }
}

function readFromPs(selection: readonly string[]): readonly ProcessEntry[] {
  // A fixed zone and language, so that the same start is always written the same way.
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
  let table: string
  try {
    // Loaded here: a system with /proc never needs it, and a hook waits for every module.
    const { execFileSync } = process.getBuiltinModule('node:child_process')
    table = execFileSync('ps', [...selection, ...COLUMNS], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch (error) {
    // ps exits with 1 if it found nothing.
    if ((error as { status?: number | null }).status === 1) return []
    throw new PawlError(
      'process.table.unreadable',
      'The list of processes cannot be read: the program `ps` does not run here; install it.',
      {
        cause: error,
      },
    )
  }
  return table.split('\n').flatMap((line) => {
    const [, pid, parent, group, state = '', startedAt] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? []
    if (startedAt === undefined) return []
    const isZombie = state.startsWith('Z')
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), startedAt: `${startedAt} UTC`, isZombie }]
  })
}

/** One option each: except on Linux, a heading extends to the end of its option. */
const COLUMNS = ['-o', 'pid=', '-o', 'ppid=', '-o', 'pgid=', '-o', 'stat=', '-o', 'lstart=']

function isCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code
}
