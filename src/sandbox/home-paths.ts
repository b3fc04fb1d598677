import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

/**
 * The folders below the home folder that programs on the PATH need: a version manager's whole folder, or one folder of programs, with what
 * its links lead to, where its neighbours are no programs.
 */
export function programFolders(home: string, path: string): readonly string[] {
  const folders = path.split(':').filter((folder) => isBelow(home, folder) && existsSync(folder))
  return [...new Set(folders.flatMap((folder) => neededFor(home, folder)))].filter((each) => existsSync(each))
}

/** The folders of toolchains that variables name, such as `RUSTUP_HOME`. Those that also hold log-ins (`CARGO_HOME`) are left out. */
export function toolchainFolders(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return TOOLCHAINS.flatMap((name) => env[name] ?? []).filter((folder) => folder.startsWith('/') && existsSync(folder))
}

const TOOLCHAINS =
  'RUSTUP_HOME GOROOT JAVA_HOME VIRTUAL_ENV CONDA_PREFIX PYENV_ROOT NVM_DIR VOLTA_HOME ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR DOTNET_ROOT'.split(
    ' ',
  )

/** Whether a path is inside a folder. */
export function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`)
}

/** `~/.nvm/versions/node/v24/bin` needs its neighbour `lib`; `~/.cargo/bin` and `~/bin` have neighbours that are nobody's business. */
function neededFor(home: string, folder: string): readonly string[] {
  const parent = dirname(folder)
  const way = relative(home, parent)
  if (parent !== home && !SHARED.has(way)) return [/\/(?:bin|shims)$/.test(folder) ? parent : folder]
  return [folder, ...linkedFrom(home, folder), ...(way === '.cargo' ? [join(home, '.rustup')] : [])]
}

const SHARED: ReadonlySet<string> = new Set(['.local', '.cargo', '.config', '.npm-packages'])

/** Where the programs of a folder really are: `~/.local/bin/claude` is a link to a folder of its own. */
function linkedFrom(home: string, folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isSymbolicLink()) return []
    try {
      const real = realpathSync(join(folder, entry.name))
      return isBelow(home, real) && !isBelow(folder, real) ? [dirname(real)] : []
    } catch {
      // A link that leads nowhere starts nothing.
      return []
    }
  })
}
