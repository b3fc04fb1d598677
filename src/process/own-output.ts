import { fstatSync, lstatSync, readdirSync, readlinkSync, statSync } from 'node:fs'

/** A file by its identity, which stays when it is renamed. */
export interface FileIdentity {
  readonly dev: number
  readonly ino: number
}

/**
 * The files that this process's own output goes to: `pawl task … > run.log`, and on Linux also `| tee run.log` and the like. The shell
 * writes them and not the agent. Looked up once: where a process writes stays the same.
 */
export function ownOutputFiles(): readonly FileIdentity[] {
  known ??= [...new Set([1, 2].flatMap(filesBehind))]
  return known
}

let known: readonly FileIdentity[] | undefined

function filesBehind(descriptor: number): readonly FileIdentity[] {
  try {
    const found = fstatSync(descriptor)
    if (found.isFile()) return [found]
    return found.isFIFO() && process.platform === 'linux' ? filesOfReaders(readlinkSync(`/proc/self/fd/${descriptor}`)) : []
  } catch {
    // Closed, or no /proc: nothing is known of it.
    return []
  }
}

/** What the programs at the other end of a pipe write to, and those behind them. */
function filesOfReaders(pipe: string, seen: Set<string> = new Set()): readonly FileIdentity[] {
  if (seen.has(pipe) || seen.size >= PIPES_MAX) return []
  seen.add(pipe)
  const readers = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && linkOf(`/proc/${name}/fd/0`) === pipe)
  return readers.flatMap((pid) =>
    attempt(() => readdirSync(`/proc/${pid}/fd`), []).flatMap((fd) => {
      const path = `/proc/${pid}/fd/${fd}`
      const target = linkOf(path)
      if (target?.startsWith('pipe:')) return fd === '1' || fd === '2' ? filesOfReaders(target, seen) : []
      return attempt(() => (isWritten(path) && statSync(path).isFile() ? [statSync(path)] : []), [])
    }),
  )
}

/** The longest pipeline that anybody types. */
const PIPES_MAX = 8

/** The link's own mode says how the file was opened. */
function isWritten(path: string): boolean {
  return (lstatSync(path).mode & 0o200) !== 0
}

function linkOf(path: string): string | undefined {
  return attempt(() => readlinkSync(path), undefined)
}

function attempt<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read()
  } catch {
    // Another user's process, or one that has just ended.
    return otherwise
  }
}
