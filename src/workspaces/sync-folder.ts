import { open } from 'node:fs/promises'

/** Flushes a folder's list of names to disk, so that a file renamed into it is still there after a power cut. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder, and repositories with packed ref tables have no such folder: both flush by other means.
  const folder = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (!['ENOENT', 'EPERM', 'EISDIR', 'EACCES'].includes(error.code ?? '')) throw error
  })
  if (folder === undefined) return
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
