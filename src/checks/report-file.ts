import { constants } from 'node:fs'
import { open, realpath, stat } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { readCleanText } from '../process/output.ts'

export type ReportFileReading =
  | { readonly status: 'read'; readonly text: string }
  | { readonly status: 'missing' | 'stale' | 'too-large' | 'unreadable'; readonly problem: string }

/** A report that a command writes. */
export interface ReportFile {
  /** What the command wrote; a file from before that it didn't write again is stale and never counts. */
  read(bytesMax?: number): Promise<ReportFileReading>
}

/** Remembers the present file, named from a folder of the workspace. Call it before the command starts. */
export async function expectReportFile(folder: string, name: string): Promise<ReportFile> {
  const path = resolve(folder, name)
  const before = await markOf(path)
  return {
    read: async (bytesMax = REPORT_FILE_BYTES_MAX) => {
      const now = await markOf(path)
      if (now === undefined) return { status: 'missing', problem: 'was not written' }
      // By the file itself and not by the time: file systems' clocks are coarse, and some aren't ours.
      if (now === before) return { status: 'stale', problem: "is from before the check, which didn't write it again" }
      return readReportFile(folder, name, bytesMax)
    },
  }
}

const REPORT_FILE_BYTES_MAX = 256 * 1024 * 1024

async function markOf(path: string): Promise<string | undefined> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined)
  return stats && [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ')
}

/** A report's content, no matter its author and age. */
export async function readReportFile(folder: string, name: string, bytesMax = REPORT_FILE_BYTES_MAX): Promise<ReportFileReading> {
  const path = resolve(folder, name)
  try {
    const real = await realpath(path)
    // Pawl reads outside the box: a link that the agent made would show it what the box hides.
    if (isIn(folder, path) && !isIn(await realpath(folder), real))
      return { status: 'unreadable', problem: 'is a link that leads out of the workspace' }
    return await content(real, bytesMax)
  } catch (error) {
    return { status: 'unreadable', problem: `could not be read (${(error as Error).message})` }
  }
}

function isIn(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

async function content(path: string, bytesMax: number): Promise<ReportFileReading> {
  // Don't block: a pipe in its place would have no writer. Don't follow: it is the real path already.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) return { status: 'unreadable', problem: 'is not a regular file' }
    if (stats.size > bytesMax) return { status: 'too-large', problem: `is larger than ${bytesMax / 1024 / 1024} MiB` }
    return { status: 'read', text: await readCleanText(file.fd, stats.size) }
  } finally {
    await file.close()
  }
}
