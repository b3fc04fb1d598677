import { posix } from 'node:path'
import { isSnapshotFile, isTestFile } from '../core/measures/test-file.ts'

/** What decides which files are on the test side. */
export interface SidesRequest {
  /** The project's files, relative to the folder. */
  readonly paths: readonly string[]
  /** The commands of checks and reviewers, as the shell would read them. */
  readonly commands: readonly string[]
  /** Globs of the user's: `tests:` and `protect:`. One that begins with `!` takes files out again. */
  readonly globs: readonly string[]
  /** A file's text at the start; `undefined` if there is none. */
  read(path: string): Promise<string | undefined>
}

/** Why a file is on the test side. */
export type SideReason = 'named' | 'test' | 'settings' | 'script' | 'set-up'

/** The two sides of a project: what checks the work, and the work. */
export interface Sides {
  /** Why a file belongs to the tests; `undefined` for the code. A manifest has keys of both sides and counts as code here. */
  reasonFor(path: string): SideReason | undefined
  isTest(path: string): boolean
  /** The checks' commands and those they lead to: scripts of package.json, recipes, lines of shell scripts. */
  readonly lines: readonly string[]
}

/**
 * Tests, their data, the runner's and tools' settings, and the scripts that the checks run are on the test side. Everything else is the
 * work.
 */
export async function sidesOf({ paths, commands, globs, read }: SidesRequest): Promise<Sides> {
  const known = new Set(paths)
  const scripts = await checkScripts(commands, known, read)
  const { folders, patterns, files } = await runnerSettings(paths, scripts.lines, read)
  const wanted = globs.filter((glob) => !glob.startsWith('!')).flatMap(withContents)
  const unwanted = globs.filter((glob) => glob.startsWith('!')).flatMap((glob) => withContents(glob.slice(1)))
  const reasonFor = (path: string): SideReason | undefined => {
    if (unwanted.some((glob) => matches(path, glob))) return undefined
    if (wanted.some((glob) => matches(path, glob))) return 'named'
    if (isManifest(path)) return undefined
    if (scripts.files.has(path)) return 'script'
    if (isToolSettings(path)) return 'settings'
    if (isTestData(path) || isTestFile(path) || isSnapshotFile(path)) return 'test'
    if (folders.some((folder) => path.startsWith(`${folder}/`)) || patterns.some((glob) => matches(path, glob))) return 'test'
    return files.has(path) || isSetUp(path) ? 'set-up' : undefined
  }
  return { reasonFor, isTest: (path) => reasonFor(path) !== undefined, lines: scripts.lines }
}

/** Files with dependencies, which belong to the work, and with settings of the runner, which don't. */
export function isManifest(path: string): boolean {
  return /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.cfg|Cargo\.toml)$/.test(path)
}

/** Whether a new file would be loaded in the place of a module that a test runner imports. */
export function shadowsRunner(path: string): boolean {
  const [, name = ''] = /^(?:src\/)?([A-Za-z_]\w*)(?:\.py|\.so|\.pyd|\/__init__\.py)$/.exec(path) ?? []
  return path.endsWith('.pth') || RUNNER_MODULES.has(name)
}

/** What pytest, unittest and Python's start-up import by name: a file beside the tests comes first. */
const RUNNER_MODULES: ReadonlySet<string> = new Set(
  `sitecustomize usercustomize pytest _pytest py pluggy iniconfig packaging unittest doctest nose coverage hypothesis tox
  argparse ast asyncio atexit bdb code collections configparser contextlib copy dataclasses difflib enum faulthandler fnmatch functools
  gc glob importlib inspect io itertools json linecache locale logging math numbers operator os pathlib pdb pickle pkgutil platform
  pprint random re reprlib runpy shlex shutil signal site stat string subprocess sys sysconfig tempfile textwrap threading time timeit
  tokenize traceback types typing uuid warnings weakref xml zipfile exceptiongroup tomllib`.split(/\s+/),
)

const TOOL_SETTINGS: readonly RegExp[] = [
  /^(?:GNU)?[mM]akefile$|\.mk$|^[jJ]ustfile$|^Taskfile\.ya?ml$|^Rakefile$|^noxfile\.py$|^conftest\.py$/,
  /^(?:tox|pytest|mypy|\.coveragerc)(?:\.ini)?$|^\.?pytest\.toml$|^\.?(?:ruff|taplo)\.toml$|^\.(?:flake8|pylintrc)$|^pyrightconfig\.json$/,
  /^(?:vitest|vite|jest|playwright|karma|ava|cypress|babel|eslint|prettier|stylelint|nyc|wdio|cucumber|tap|uvu)\.(?:config|workspace|conf|setup)\b/,
  /^jest[.-].*\.json$|^\.(?:mocharc|babelrc|eslintrc|prettierrc|stylelintrc|nycrc|c8rc|taprc|swcrc|lintstagedrc|oxlintrc)(?:\..*)?$/,
  /^\.(?:eslint|prettier|stylelint)ignore$|^biome\.jsonc?$|^tsconfig.*\.json$|^jsconfig\.json$|^bunfig\.toml$|^deno\.jsonc?$/,
  /^\.(?:npmrc|yarnrc(?:\.yml)?|pnpmfile\.cjs)$|^pnpm-workspace\.yaml$|^nx\.json$|^turbo\.jsonc?$|^lerna\.json$/,
  /^\.rspec$|^phpunit\.xml(?:\.dist)?$|^phpstan\.neon(?:\.dist)?$|^\.rubocop\.yml$|^\.golangci\.ya?ml$|^\.?clippy\.toml$|^\.?rustfmt\.toml$/,
]

/** Whether a file says how tools check the work. */
function isToolSettings(path: string): boolean {
  const name = posix.basename(path)
  return TOOL_SETTINGS.some((pattern) => pattern.test(name)) || /(?:^|\/)\.cargo\/config(?:\.toml)?$/.test(path)
}

/** Whatever lies in a folder of tests, code or not: samples, expected output, helpers. */
function isTestData(path: string): boolean {
  return /(?:^|\/)(?:__tests__|__snapshots__|__mocks__|__fixtures__|fixtures?|goldens?|tests?|specs?|e2e|testdata|test-data|cypress)\//i.test(
    path,
  )
}

/** What prepares or serves tests, by its name alone. */
function isSetUp(path: string): boolean {
  return /^(?:setup-?tests?|tests?[-_]?(?:setup|utils?|helpers?|support)|(?:jest|vitest|mocha|test)[._-]setup)\.\w+$/i.test(
    posix.basename(path),
  )
}

/** The files that the checks' commands run, followed through the scripts of package.json, make and the shell. */
async function checkScripts(
  commands: readonly string[],
  known: ReadonlySet<string>,
  read: SidesRequest['read'],
): Promise<{ readonly files: ReadonlySet<string>; readonly lines: readonly string[] }> {
  const files = new Set<string>()
  const lines: string[] = []
  const waiting: CommandIn[] = commands.map((line) => ({ line, folder: '' }))
  const seen = new Set<string>()
  for (let next = waiting.shift(); next !== undefined && lines.length < LINES_MAX; next = waiting.shift()) {
    const { line, folder } = inItsFolder(next)
    if (seen.has(`${folder}:${line}`)) continue
    seen.add(`${folder}:${line}`)
    lines.push(line)
    const scripts = await scriptsOf(folder, read)
    const found = packageScripts(line)
      .flatMap((name) => [name, `pre${name}`, `post${name}`])
      .flatMap((name) => (typeof scripts[name] === 'string' ? [scripts[name]] : []))
    const makefiles = MAKEFILES.map((name) => posix.join(folder, name))
    if (/(?:^|[\s;&|(])make\b/.test(line)) found.push(...recipeLines(await firstText(read, makefiles)))
    for (const path of scriptsIn({ line, folder }, known, commands.includes(next.line))) {
      files.add(path)
      if (isShell(path)) found.push(...((await read(path)) ?? '').split('\n').filter((each) => !/^\s*#/.test(each)))
    }
    waiting.push(...found.map((each) => ({ line: each, folder })))
  }
  return { files, lines }
}

/** A command line, and the folder it runs in; empty for the top. */
interface CommandIn {
  readonly line: string
  readonly folder: string
}

/** `cd packages/api && npm test` runs the scripts of that folder. */
function inItsFolder({ line, folder }: CommandIn): CommandIn {
  const [, name, rest] = /^\s*cd\s+["']?([^\s"']+)["']?\s*&&\s*([^]*)$/.exec(line) ?? []
  const place = name === undefined ? '..' : posix.join(folder, name).replace(/\/$/, '')
  return rest === undefined || place.startsWith('..') ? { line, folder } : { line: rest, folder: place === '.' ? '' : place }
}

async function scriptsOf(folder: string, read: SidesRequest['read']): Promise<Readonly<Record<string, unknown>>> {
  const manifest = parsedObject(await read(posix.join(folder, 'package.json')))
  return (manifest?.['scripts'] ?? {}) as Readonly<Record<string, unknown>>
}

const LINES_MAX = 2000
const MAKEFILES = ['Makefile', 'makefile', 'GNUmakefile']

/** The scripts of package.json that a command line runs. */
function packageScripts(line: string): readonly string[] {
  const found = line.matchAll(
    /(?:^|[\s;&|(])(?:npm|pnpm|yarn|bun)(?:\s+--?[\w-]+(?:=\S+)?)*\s+(?:run(?:-script)?\s+)?([\w:.-]+)/g,
  )
  return [...found].map(([, name = '']) => (name === 't' ? 'test' : name))
}

function recipeLines(makefile: string): readonly string[] {
  return makefile.split('\n').filter((line) => line.startsWith('\t'))
}

/**
 * Files of the project that a command line runs in order to check. A program in its own right is what is checked, not what checks it:
 * `node main.js | grep hello` checks `main.js`. So the name or the folder has to say so, or a shell script is the whole command.
 */
function scriptsIn({ line, folder }: CommandIn, known: ReadonlySet<string>, isCheck: boolean): readonly string[] {
  const words = line.split(/[\s;&|()"'`=]+/).map((word) => posix.join(folder, word.replace(/^\$\{?PWD\}?\//, '')))
  const isWhole = isCheck && !/[|`<>[]|\$\(|\b(?:grep|diff|cmp|test)\b/.test(line)
  return words.filter((word) => known.has(word) && (CHECK_NAME.test(word) || (isWhole && isShell(word))))
}

const CHECK_NAME =
  /(?:^|[/._-])(?:tests?|specs?|checks?|verif\w*|validat\w*|lint|asserts?|ci|e2e|smoke|qa|scripts|tools)(?:[/._-]|$)/i

function isShell(path: string): boolean {
  return /\.(?:sh|bash|zsh|bats)$/.test(path) || (!posix.basename(path).includes('.') && CHECK_NAME.test(path))
}

/** What the runner's own settings and arguments add: folders, patterns and set-up files. */
async function runnerSettings(
  paths: readonly string[],
  lines: readonly string[],
  read: SidesRequest['read'],
): Promise<{ readonly folders: readonly string[]; readonly patterns: readonly string[]; readonly files: ReadonlySet<string> }> {
  const known = new Set(paths)
  const folders: string[] = []
  const patterns: string[] = []
  const files = new Set<string>()
  const isFolder = (name: string): boolean => name !== '.' && paths.some((path) => path.startsWith(`${name}/`))
  for (const line of lines)
    for (const [, rest = ''] of line.matchAll(
      /\b(?:pytest|unittest(?:\s+discover)?|vitest(?:\s+run)?|jest|mocha|ava|--test)\s([^;&|]*)/g,
    ))
      folders.push(...rest.split(/\s+/).map(plain).filter(isFolder))
  for (const path of paths.filter(isRunnerSettings)) {
    const text = (await read(path)) ?? ''
    for (const [, list = ''] of text.matchAll(
      /\b(?:include|testMatch|testDir|spec|testpaths|python_files)\s*[:=]\s*(\[[^\]]*\]|[^\n,}]+)/g,
    ))
      for (const word of strings(list)) (isFolder(plain(word)) ? folders : patterns).push(plain(word))
    for (const [, list = ''] of text.matchAll(SET_UP_KEYS))
      for (const word of strings(list)) if (known.has(plain(word))) files.add(plain(word))
  }
  // A pattern that takes in all code would put the work itself on the test side.
  return {
    folders: folders.filter((name) => name !== 'src'),
    patterns: patterns.filter((glob) => /test|spec/i.test(glob)),
    files,
  }
}

/** Settings of runners that name files which run with the tests. */
const SET_UP_KEYS =
  /\b(?:setupFiles\w*|globalSetup|globalTeardown|reporters?|testEnvironment|environment|runner|snapshotSerializers|require|plugins)\b['"]?\s*[:=]\s*(\[[^\]]*\]|['"`][^'"`]*['"`])/g

function isRunnerSettings(path: string): boolean {
  return /^(?:(?:vitest|vite|jest|playwright|cypress)\.(?:config|workspace)\.\w+|\.mocharc\..*|pytest\.ini|tox\.ini|setup\.cfg|pyproject\.toml)$/.test(
    path,
  )
}

/** Quoted words of a JavaScript or TOML list, or the bare words of an INI value. */
function strings(text: string): readonly string[] {
  const quoted = [...text.matchAll(/['"`]([^'"`\n]+)['"`]/g)].map(([, word = '']) => word)
  return quoted.length > 0 ? quoted : text.split(/\s+/).filter((word) => /^[\w./*-]+$/.test(word))
}

function plain(word: string): string {
  return posix.normalize(word.replaceAll('<rootDir>/', '')).replace(/\/+$/, '')
}

function withContents(glob: string): readonly string[] {
  const name = glob.replace(/^\.?\//, '').replace(/\/+$/, '')
  return [name, `${name}/**`]
}

function matches(path: string, glob: string): boolean {
  return posix.matchesGlob(path, glob)
}

async function firstText(read: SidesRequest['read'], paths: readonly string[]): Promise<string> {
  for (const path of paths) {
    const text = await read(path)
    if (text !== undefined) return text
  }
  return ''
}

function parsedObject(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
