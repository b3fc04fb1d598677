import { existsSync, readdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')
const SOURCE = join(ROOT, 'src')

/** The programs that Pawl consists of: what each is built into, and from what. */
const PROGRAMS = {
  cli: ['cli.mjs', 'surfaces/cli/main.ts'],
  mcp: ['mcp.mjs', 'surfaces/mcp/main.ts'],
  engine: ['engine.mjs', 'surfaces/restate/main.ts'],
  hook: ['hook.cjs', 'surfaces/hooks/main.ts'],
  tinker: ['tinker.mjs', 'tinker/main.ts'],
} as const

/** For programs that are started again and again: compiled once, used by all. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: join(tmpdir(), `pawl-test-compile-cache-${process.getuid?.() ?? 0}`) }

/** Whether the tests start what users get: `dist`, if it is newer than the source. Starting from source takes two to four times as long. */
export const IS_BUILT = isBuilt()

/** The file to start Node with for one of the programs. */
export function programFile(name: keyof typeof PROGRAMS): string {
  const [built, source] = PROGRAMS[name]
  return IS_BUILT ? join(ROOT, 'dist', built) : join(SOURCE, source)
}

/** The command line as users call it: `bin/pawl` starts a program of its own for some of them. */
export function pawlCommand(...words: readonly string[]): readonly string[] {
  const [first] = words
  if (IS_BUILT) return [join(ROOT, 'bin', 'pawl'), ...words]
  return [process.execPath, programFile(first === 'hook' || first === 'mcp' || first === 'engine' ? first : 'cli'), ...words]
}

function isBuilt(): boolean {
  // The last file that the build writes.
  const builtAt = statSync(join(ROOT, 'dist', 'hook.cjs'), { throwIfNoEntry: false })?.mtimeMs
  if (builtAt === undefined || !existsSync(join(ROOT, 'dist', 'cli.mjs'))) return false
  const paths = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  const sources = paths.filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  return sources.every((path) => (statSync(join(SOURCE, path), { throwIfNoEntry: false })?.mtimeMs ?? 0) < builtAt)
}
