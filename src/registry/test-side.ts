import { realpathSync } from 'node:fs'
import { listFiles } from '../codebase/list-files.ts'
import { readInside } from '../codebase/read-inside.ts'
import { sidesOf, type SideReason } from '../proof/sides.ts'

export type { SideReason }

/** Files on the test side for one reason. */
export interface TestSideGroup {
  readonly reason: SideReason
  readonly count: number
  /** The first few. */
  readonly files: readonly string[]
}

export interface TestSideRequest {
  readonly root: string
  /** The commands of checks and reviewers, as a shell would read them. */
  readonly commands: readonly string[]
  /** Globs of the user's: `tests` and `protect`. */
  readonly globs: readonly string[]
  readonly namesMax: number
}

/** Which files of a folder a proof would put on the test side, grouped by the reason, the largest group first. */
export async function testSide({ root, commands, globs, namesMax }: TestSideRequest): Promise<readonly TestSideGroup[]> {
  const folder = realpathSync(root)
  const paths = (await listFiles(folder, FILES_MAX, new AbortController().signal))
    .map(({ path }) => path)
    .filter((path) => !COMPILED.test(path))
  const read = async (path: string): Promise<string | undefined> => {
    const found = readInside(folder, path, TEXT_BYTES_MAX)
    return found.status === 'text' ? found.text : undefined
  }
  const { reasonFor } = await sidesOf({ paths, commands, globs, read })
  const groups = Map.groupBy(paths, reasonFor)
  return [...groups]
    .flatMap(([reason, files]) => (reason ? [{ reason, count: files.length, files: files.slice(0, namesMax) }] : []))
    .toSorted((one, other) => other.count - one.count)
}

const COMPILED = /(?:^|\/)__pycache__\/|\.pyc$/
const FILES_MAX = 100_000
const TEXT_BYTES_MAX = 2 * 1024 * 1024
