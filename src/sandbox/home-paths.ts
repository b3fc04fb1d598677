import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

/**
 * The folders below the home folder that programs on the PATH need: a version manager's whole folder, or one folder of programs where its
 * neighbours are no programs.
 */
export function programFolders(home: string, path: string): readonly string[] {
  const folders = path.split(':').filter((folder) => isBelow(home, folder))
  return [...new Set(folders.flatMap((folder) => [rootOf(home, folder), ...besides(home, folder)]))].filter((each) =>
    existsSync(each),
  )
}

/** Whether a path is inside a folder. */
export function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`)
}

/** `~/.nvm/versions/node/v24/bin` needs its neighbour `lib`; `~/.cargo/bin` and `~/bin` have neighbours that are nobody's business. */
function rootOf(home: string, folder: string): string {
  const parent = dirname(folder)
  const isShared = parent === home || SHARED.has(relative(home, parent))
  return isShared || !/\/(?:bin|shims)$/.test(folder) ? folder : parent
}

const SHARED: ReadonlySet<string> = new Set(['.local', '.cargo', '.config', '.npm-packages'])

function besides(home: string, folder: string): readonly string[] {
  const way = relative(home, folder)
  if (way.startsWith(`.cargo${sep}`)) return [join(home, '.rustup')]
  if (way.startsWith(`.local${sep}`)) return [join(home, '.local', 'lib'), join(home, '.local', 'pipx')]
  return []
}

/** The folder of a program behind its links, where that is in the home folder: `~/.local/bin/claude` leads elsewhere. */
export function folderBehind(home: string, program: string): readonly string[] {
  try {
    const real = realpathSync(program)
    return isBelow(home, real) ? [dirname(real)] : []
  } catch {
    return []
  }
}
