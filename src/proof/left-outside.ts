import { lstat, readdir, realpath } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * What appeared in the home folder and in the folders for temporary files since the work began: the work may not need it, because nobody
 * else has it. Packages, and what tools keep of them, are left where they are.
 */
export async function leftOutside(since: number, cwd: string): Promise<readonly string[]> {
  const home = homedir()
  const folders = ['/tmp', tmpdir(), home, ...['.cache', '.config', '.local/share'].map((name) => join(home, name))]
  const workspace = await realpath(cwd)
  const found = new Set<string>()
  for (const folder of new Set(folders)) {
    const names = await readdir(folder).catch(() => [])
    const stats = await Promise.all(
      names
        .slice(0, NAMES_MAX)
        .filter((name) => !KEPT.test(name))
        .map(async (name) => [join(folder, name), await lstat(join(folder, name)).catch(() => undefined)] as const),
    )
    for (const [path, stat] of stats)
      if (stat && (stat.isFile() || stat.isDirectory() || stat.isSymbolicLink()) && stat.birthtimeMs > since)
        if (!`${workspace}/`.startsWith(`${path}/`) && !(stat.isDirectory() && OWN.test(path))) found.add(path)
  }
  return [...found].slice(0, PATHS_MAX)
}

/** More than anybody looks for. */
const NAMES_MAX = 20_000
const PATHS_MAX = 1000
/** Folders that Pawl itself keeps there while it works. */
const OWN = /\/pawl-[\w-]+$/
/** What package managers, compilers and browsers keep. */
const KEPT =
  /^(?:\.pawl$|\.?(?:npm|pnpm\S*|yarn|bun|deno|node\S*|nvm|volta|fnm|local|cargo|rustup|go|gopath|go-\S*|m2|gradle|ivy2|sbt|nuget|dotnet|pyenv|rbenv|gem|bundle|asdf|mise|sdkman|virtualenvs?|venvs?|conda\S*|pip|pipx?|poetry|pypoetry|uv|cache|config|ms-playwright\S*|playwright\S*|puppeteer|Cypress|electron\S*|docker|ssh|gnupg|git\S*|vite\S*|turbo|ccache|sccache|typescript|prisma|corepack|matplotlib|huggingface|torch|X11-unix|ICE-unix)$)/i
