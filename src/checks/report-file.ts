import { constants } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { readCleanText } from '../process/output.ts'

export type ReportFileReading =
  | { readonly status: 'read'; readonly text: string }
  | { readonly status: 'missing' | 'stale' | 'too-large' | 'unreadable'; readonly problem: string }

/** A report that a command writes. */
export interface ReportFile {
  /** What the command wrote; a file from before that it didn't write again is stale and never counts. */
  read(bytesMax?: number): Promise<ReportFileReading>
}

/** Remembers the present file. Call it before the command starts. */
export async function expectReportFile(path: string): Promise<ReportFile> {
  const before = await markOf(path)
  return {
    read: async (bytesMax = REPORT_FILE_BYTES_MAX) => {
      const now = await markOf(path)
      if (now === undefined) return { status: 'missing', problem: 'was not written' }
      // By the file itself and not by the time: file systems' clocks are coarse, and some aren't ours.
      if (now === before) return { status: 'stale', problem: "is from before the check, which didn't write it again" }
      return readReportFile(path, bytesMax)
    },
  }
}

const REPORT_FILE_BYTES_MAX = 256 * 1024 * 1024

async function markOf(path: string): Promise<string | undefined> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined)
  return stats && [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ')
}

/** A report's content, whoever wrote it and when. */
export async function readReportFile(path: string, bytesMax = REPORT_FILE_BYTES_MAX): Promise<ReportFileReading> {
  try {
    return await content(path, bytesMax)
  } catch (error) {
    return { status: 'unreadable', problem: `could not be read (${(error as Error).message})` }
  }
}

async function content(path: string, bytesMax: number): Promise<ReportFileReading> {
  // Don't block: a pipe in its place would have no writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) return { status: 'unreadable', problem: 'is not a regular file' }
    if (stats.size > bytesMax) return { status: 'too-large', problem: `is larger than ${bytesMax / 1024 / 1024} MiB` }
    return { status: 'read', text: await readCleanText(file.fd, stats.size) }
  } finally {
    await file.close()
  }
}
