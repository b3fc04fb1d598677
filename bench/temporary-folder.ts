import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const present = new Set<string>()

/** Does the work with its own folder, which is gone afterwards, also when the bench is interrupted. */
export async function withTemporaryFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-'))
  if (present.size === 0) process.once('exit', removeAll)
  present.add(folder)
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
    present.delete(folder)
    if (present.size === 0) process.off('exit', removeAll)
  }
}

function removeAll(): void {
  for (const folder of present) rmSync(folder, { recursive: true, force: true })
}
