import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

/** Whether the disk of this folder, or the one for temporary files, has next to nothing left. */
export async function isDiskFull(folder: string): Promise<boolean> {
  const full = await Promise.all([folder, tmpdir()].map(isFolderFull))
  return full.includes(true)
}

async function isFolderFull(folder: string): Promise<boolean> {
  return statfs(folder).then(
    hasNothingLeft,
    // A folder that is gone says nothing about its disk.
    () => false,
  )
}

interface Space {
  readonly blocks: number
  readonly bavail: number
  readonly bsize: number
  readonly files: number
  readonly ffree: number
}

/** Whether not even `BYTES_LEFT_MIN` or no file is left to write. File systems that do not count blocks or files say 0 of 0. */
export function hasNothingLeft({ blocks, bavail, bsize, files, ffree }: Space): boolean {
  return (blocks > 0 && bavail * bsize < BYTES_LEFT_MIN) || (files > 0 && ffree === 0)
}

/** With less, programs fail to write what they need. */
const BYTES_LEFT_MIN = 16 * 1024 * 1024
