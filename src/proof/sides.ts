import { posix } from 'node:path'
import {
  decidingScripts,
  importedChecks,
  inTheirFolders,
  moduleFolders,
  scriptsInBulk,
  withVariables,
  type CommandIn,
} from './invoked-scripts.ts'
import { isSnapshotFile, isTestFile, isTestName } from '../core/measures/test-file.ts'

/** What decides which files are on the test side. */
export interface SidesRequest {
  /** The project's files, relative to the folder. */
  readonly paths: readonly string[]
  /** The commands of checks and reviewers, as the shell would read them. */
  readonly commands: readonly string[]
  /** Globs of the user's: `tests:` and `protect:`. One that begins with `!` takes files out again. */
  readonly globs: readonly string[]
  /** Files that the work changed or added: only they are looked at for what the names of files don't say. */
  readonly changed?: readonly string[]
  /** Set if every test file could be loaded at the start, so that all that the tests import was there. */
  readonly isLoaded?: boolean
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
  /** Whether a check does nothing but lint or look at the format, so that tests are what it checks and not what checks. */
  isLint(command: string): Promise<boolean>
}

/**
 * Tests, their data, the runner's and tools' settings, and the scripts that the checks run are on the test side. Everything else is the
 * work.
 */
export async function sidesOf({ paths, commands, globs, changed = [], isLoaded = false, read }: SidesRequest): Promise<Sides> {
  const known = new Set(paths)
  const scripts = await checkScripts(commands, known, read)
  const { folders, patterns, files } = await runnerSettings(paths, scripts.lines, read)
  const specsOfCode = await foldersWithoutTests(paths, read)
  const importedByCode = await importedFromCode(
    changed,
    paths.filter((path) => !scripts.files.has(path) && !files.has(path)),
    read,
  )
  const hasLinter = scripts.lines.some((line) => LINTERS.test(line))
  const wanted = globs.filter((glob) => !glob.startsWith('!')).flatMap(withContents)
  const unwanted = globs.filter((glob) => glob.startsWith('!')).flatMap((glob) => withContents(glob.slice(1)))
  const reasonFor = (path: string): SideReason | undefined => {
    if (unwanted.some((glob) => matches(path, glob))) return undefined
    if (wanted.some((glob) => matches(path, glob))) return 'named'
    if (isManifest(path)) return undefined
    if (scripts.files.has(path)) return 'script'
    if (isToolSettings(path) || (hasLinter && /(?:^|\/)\.(?:git)?ignore$/.test(path))) return 'settings'
    if (importedByCode.has(path)) return undefined
    const place = specsOfCode.some((folder) => path.startsWith(folder)) ? path.replaceAll(SPEC_FOLDER, '$1-/') : path
    if (isTestData(place) || isTestFile(place) || isSnapshotFile(place)) return 'test'
    if (folders.some((folder) => path.startsWith(`${folder}/`)) || patterns.some((glob) => matches(path, glob))) return 'test'
    return files.has(path) || served.has(path) || isSetUp(path) ? 'set-up' : undefined
  }
  const served = new Set<string>()
  const isOfTests = (path: string): boolean => reasonFor(path) !== undefined
  for (const path of await servingTests(
    changed.filter((each) => !isOfTests(each)),
    paths,
    isOfTests,
    { isLoaded, folders: scripts.folders, read },
  ))
    served.add(path)
  const programs = await Promise.all(programsIn(scripts.lines, known).map(read))
  const others = changed.filter((path) => known.has(path) && !isOfTests(path))
  for (const path of await scriptsInBulk(others, [...scripts.lines, ...programs.map((text) => text ?? '')], known, read))
    served.add(path)
  const isLint = async (command: string): Promise<boolean> => lintsOnly((await checkScripts([command], known, read)).lines)
  return { reasonFor, isTest: isOfTests, lines: scripts.lines, isLint }
}

/** The files that command lines name. */
function programsIn(lines: readonly string[], known: ReadonlySet<string>): readonly string[] {
  const words = new Set(lines.flatMap((line) => line.split(/[\s;&|()"'`=]+/)))
  return [...words].filter((word) => known.has(word) && isScript(word)).slice(0, PROGRAMS_MAX)
}

const PROGRAMS_MAX = 20

function lintsOnly(lines: readonly string[]): boolean {
  const commands = lines.flatMap((line) => (packageScripts(line).length > 0 ? [] : line.split(/&&|\|\||[;|\n]/)))
  const programs = commands.map((command) => command.trim()).filter((command) => command !== '')
  return programs.length > 0 && programs.every((command) => LINT.test(command))
}

const LINT =
  /^(?:(?:npx|bunx|uvx|pnpm(?: exec)?|yarn(?: run)?|poetry run|python3? -m|--?[\w-]+|\w+=\S*)\s+)*(?:\S*\/)?(?:eslint|oxlint|biome|prettier|oxfmt|stylelint|markdownlint(?:-cli2?)?|standard|xo|ruff|black|isort|flake8|pylint|gofmt|golangci-lint|cargo (?:fmt|clippy))(?=\s|$)/

/** Folders named `spec` that hold no tests, each with a slash at its end: a specification is part of the work. */
async function foldersWithoutTests(paths: readonly string[], read: SidesRequest['read']): Promise<readonly string[]> {
  const folders = new Map<string, string[]>()
  for (const path of paths) {
    const end = path.search(SPEC_FOLDER)
    if (end < 0) continue
    const folder = path.slice(0, path.indexOf('/', end + 1) + 1)
    folders.set(folder, [...(folders.get(folder) ?? []), path])
  }
  const found: string[] = []
  for (const [folder, files] of folders) {
    const texts = files.some(isTestName) ? [] : await Promise.all(files.filter(isScript).slice(0, SPEC_FILES_MAX).map(read))
    if (!files.some(isTestName) && !texts.some((text) => TESTS_SOMETHING.test(text ?? ''))) found.push(folder)
  }
  return found
}

/**
 * Changed code in a folder such as `src/fixtures` that only its folder puts among the tests, and that other code imports: a program about
 * football has fixtures, too.
 */
async function importedFromCode(
  changed: readonly string[],
  paths: readonly string[],
  read: SidesRequest['read'],
): Promise<ReadonlySet<string>> {
  const candidates = changed.filter(
    (path) => path.includes('/') && isScript(path) && isTestData(path.slice(path.indexOf('/') + 1)) && !isTestName(path),
  )
  const texts = candidates.length === 0 ? [] : await Promise.all(candidates.map(read))
  // New files follow those that were there.
  const known = candidates.filter((_, index) => texts[index] !== undefined && !TESTS_SOMETHING.test(texts[index]))
  if (known.length === 0) return new Set()
  const code = paths.filter((path) => isScript(path) && !isTestData(path) && !isTestName(path) && !isToolSettings(path))
  const found = new Set<string>()
  for (const path of code.slice(0, TEXTS_MAX)) {
    const text = (await read(path)) ?? ''
    const imports = [...text.matchAll(IMPORTS)].map(([, one, two = '']) => one ?? two.replaceAll('.', '/'))
    for (const each of known) if (imports.some((to) => leadsTo(to, each))) found.add(each)
  }
  return found
}

const IMPORTS = /(?:\bfrom|\bimport|\brequire\()\s*\(?['"](\.[^'"]+)['"]|^\s*from\s+([\w.]+)\s+import/gm

const SPEC_FOLDER = /(^|\/)specs?\//gi
const SPEC_FILES_MAX = 200
const TESTS_SOMETHING = /\b(?:describe|it|test|specify)\s*\(|\bassert\b|\bexpect\b|\bRSpec\b|\bunittest\b/

/** Linters and formatters that leave out what git ignores. */
export const LINTERS = /\b(?:oxlint|eslint|biome|prettier|oxfmt|ruff|black|knip|rg)\b/

/** Files with dependencies or targets, which belong to the work, and with settings of checks, which don't. */
export function isManifest(path: string): boolean {
  return /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.cfg|Cargo\.toml)$/.test(path) || isCompilerSettings(path)
}

/** TypeScript's settings: they say what the code is made for, and how strictly it is checked. */
export function isCompilerSettings(path: string): boolean {
  return /(?:^|\/)[jt]sconfig[^/]*\.json$/.test(path)
}

/**
 * Files that serve only the tests, though their names don't say so: data and helpers that tests name and code doesn't, and new files that
 * are loaded in the place of a module that the runner or the tests import.
 */
async function servingTests(
  changed: readonly string[],
  paths: readonly string[],
  isTest: (path: string) => boolean,
  { isLoaded, folders, read }: Pick<SidesRequest, 'read'> & { readonly isLoaded: boolean; readonly folders: ReadonlySet<string> },
): Promise<readonly string[]> {
  const candidates: { readonly path: string; readonly isNew: boolean }[] = []
  const added = new Set<string>()
  for (const path of changed) {
    const text = await read(path)
    if (text === undefined) added.add(path)
    if (
      text === undefined
        ? moduleName(path, folders) !== undefined
        : isData(path) || HELPER_NAME.test(path) || FRAMEWORK.test(text)
    )
      candidates.push({ path, isNew: text === undefined })
  }
  if (candidates.length === 0) return []
  const textsOf = async (chosen: readonly string[]): Promise<readonly (readonly [path: string, text: string])[]> =>
    Promise.all(
      chosen
        .filter(isScript)
        .slice(0, TEXTS_MAX)
        .map(async (path) => [path, (await read(path)) ?? ''] as const),
    )
  const testTexts = await textsOf(paths.filter(isTest))
  const tests = joined(testTexts)
  const isCandidate = new Set(candidates.map(({ path }) => path))
  const codePaths = paths.filter((path) => !isTest(path))
  const code = joined(await textsOf(codePaths.filter((path) => !isCandidate.has(path))))
  const old = paths.filter((path) => !added.has(path))
  return candidates.flatMap(({ path, isNew }) => {
    const stem = stemOf(path)
    if (isNew) return shadowsModule(moduleName(path, folders), tests, isLoaded ? old : undefined) ? [path] : []
    if (!isData(path) && testTexts.some(([test, text]) => testsOnly(path, test, text, codePaths))) return []
    const folder = posix.basename(posix.dirname(path))
    const isInCode = isNamedIn(code, stem) || (isData(path) && folder !== '.' && isNamedIn(code, folder))
    return isNamedIn(tests, stem) && !isInCode ? [path] : []
  })
}

function joined(all: readonly (readonly [path: string, text: string])[]): string {
  return all.map(([, text]) => text).join('\n')
}

function stemOf(path: string): string {
  return posix.basename(path).replace(/\.\w+$/, '')
}

/** Whether a test is about this file, which may be named like a helper: the test has its name, or imports no other code of the project. */
function testsOnly(path: string, test: string, text: string, code: readonly string[]): boolean {
  const named = stemOf(test).replace(/^test_|[._-](?:test|spec)s?$/i, '')
  const imported = [
    ...[...text.matchAll(/(?:\bfrom|\bimport|\brequire\()\s*\(?['"](\.[^'"]+)['"]/g)].map(([, to = '']) => to),
    ...[...text.matchAll(/^\s*(?:from|import)\s+([\w.]+)/gm)].map(([, to = '']) => to.replaceAll('.', '/')),
  ]
  const files = new Set(imported.flatMap((to) => code.filter((file) => leadsTo(to, file))))
  return files.has(path) && (files.size === 1 || named === stemOf(path))
}

/** Whether an import may lead to a file, by the end of its path. */
function leadsTo(to: string, file: string): boolean {
  const place = to.replace(/^(?:\.\.?\/)+/, '')
  const bare = file.replace(/\.\w+$/, '')
  return place !== '' && [file, bare, bare.replace(/\/(?:__init__|index)$/, '')].some((each) => `/${each}`.endsWith(`/${place}`))
}

const TEXTS_MAX = 1000

/** What tests compare with or feed in, by its name. Any other data that a test reads, a page or a setting, may be the work itself. */
function isData(path: string): boolean {
  return (
    /\.(?:expected|golden|ans)$/.test(path) ||
    ((DATA_NAME.test(path) || path.search(SPEC_FOLDER) >= 0) &&
      /\.(?:json|jsonl|txt|csv|tsv|ya?ml|xml|html|sql|dat|out|in)$/.test(path))
  )
}

const DATA_NAME =
  /(?:^|[/._-])(?:expect\w*|goldens?|samples?|cases?|inputs?|baselines?|references?|answers?|vectors?|wants?|wanted|truth|should\w*)(?:[/._-]|$)/i

/** Helpers of tests, by folder or name. */
const HELPER_NAME =
  /(?:^|[/._-])(?:expect\w*|assert\w*|matchers?|support|helpers?|harness|mocks?|stubs?|fakes?|checks?)(?:[/._-]|$)/i
const FRAMEWORK = /(?:from|import|require\()\s*\(?['"]?(?:vitest|chai|node:test|@jest\/globals|pytest|unittest|Test::More)\b/

function isScript(path: string): boolean {
  return /\.(?:[cm]?[jt]sx?|vue|svelte|py|rb|go|rs|php|pl|pm|t|sh)$/.test(path)
}

function isNamedIn(text: string, word: string): boolean {
  return new RegExp(`(?<![\\w-])${escaped(word)}(?![\\w-])`).test(text)
}

function escaped(word: string): string {
  return word.replaceAll(/[^\w]/g, '\\$&')
}

/** What a new file would be imported as in Perl or in Python, where a file of the project's comes before what is installed. */
function moduleName(path: string, folders: ReadonlySet<string>): string | undefined {
  if (path.endsWith('.pth') || /\.(?:egg|dist)-info\//.test(path) || /(?:^|\/)(?:Test2?\/.+|strict|warnings)\.pm$/.test(path))
    return ''
  const folder = [...folders].find((each) => path.startsWith(`${each}/`))
  const place = folder === undefined ? path : path.slice(folder.length + 1)
  return /^(?:src\/)?([A-Za-z_]\w*)(?:\.py|\.so|\.pyd|\/__init__\.py)$/.exec(place)?.[1]
}

/**
 * Whether a new file would be loaded in the place of a module that the runner imports, or the tests from Python's library. If the tests
 * could be loaded without it, and not from the `old` files of the project, from anywhere.
 */
function shadowsModule(name: string | undefined, tests: string, old?: readonly string[]): boolean {
  if (name === undefined || name === '' || RUNNER_MODULES.has(name)) return name !== undefined
  const isOwn = new RegExp(`(?:^|/)${name}(?:\\.py$|/)`)
  if (old && new RegExp(`^(?:import|from)\\s+${name}\\b`, 'm').test(tests)) return !old.some((each) => isOwn.test(each))
  return LIBRARY_MODULES.has(name) && new RegExp(`^\\s*(?:import|from)\\s+${name}\\b`, 'm').test(tests)
}

/** What pytest, unittest and Python's start-up import by name. */
const RUNNER_MODULES: ReadonlySet<string> = new Set(
  `sitecustomize usercustomize pytest _pytest py pluggy iniconfig packaging unittest doctest nose coverage hypothesis tox
  argparse ast asyncio atexit bdb code collections configparser contextlib copy dataclasses difflib enum faulthandler fnmatch functools
  gc glob importlib inspect io itertools json linecache locale logging math numbers operator os pathlib pdb pickle pkgutil platform
  pprint random re reprlib runpy shlex shutil signal site stat string subprocess sys sysconfig tempfile textwrap threading time timeit
  tokenize traceback types typing uuid warnings weakref xml zipfile exceptiongroup tomllib`.split(/\s+/),
)

/** More of Python's library, which tests may import. */
const LIBRARY_MODULES: ReadonlySet<string> = new Set(
  `abc array base64 binascii bisect bz2 calendar cmath codecs concurrent contextvars csv ctypes datetime decimal email errno filecmp
  fractions getpass gettext graphlib gzip hashlib heapq hmac html http ipaddress keyword lzma mimetypes multiprocessing optparse queue
  sched secrets select selectors shelve smtplib socket sqlite3 ssl statistics struct tarfile token trace unicodedata urllib zlib
  zoneinfo`.split(/\s+/),
)

const TOOL_SETTINGS: readonly RegExp[] = [
  /^(?:GNU)?[mM]akefile$|\.mk$|^[jJ]ustfile$|^Taskfile\.ya?ml$|^Rakefile$|^noxfile\.py$|^conftest\.py$/,
  /^(?:tox|pytest|mypy|\.coveragerc)(?:\.ini)?$|^\.?pytest\.toml$|^\.?(?:ruff|taplo)\.toml$|^\.(?:flake8|pylintrc)$|^pyrightconfig\.json$/,
  /^(?:vitest|vite|jest|playwright|karma|ava|cypress|babel|eslint|prettier|stylelint|nyc|wdio|cucumber|tap|uvu|postcss)\.(?:config|workspace|conf|setup)\b/,
  /^jest[.-].*\.json$|^\.(?:mocharc|babelrc|eslintrc|prettierrc|stylelintrc|nycrc|c8rc|taprc|swcrc|lintstagedrc|oxlintrc)(?:\..*)?$/,
  /^\.(?:eslint|prettier|stylelint)ignore$|^biome\.jsonc?$|^tsconfig.*\.json$|^jsconfig\.json$|^bunfig\.toml$|^deno\.jsonc?$/,
  /^\.(?:npmrc|yarnrc(?:\.yml)?|pnpmfile\.cjs)$|^pnpm-workspace\.yaml$|^nx\.json$|^turbo\.jsonc?$|^lerna\.json$/,
  /^\.(?:rspec|proverc|python-version|node-version|nvmrc|ruby-version|tool-versions|envrc)$|^rust-toolchain(?:\.toml)?$|^\.?mise\.toml$/,
  /^phpunit\.xml(?:\.dist)?$|^phpstan\.neon(?:\.dist)?$|^\.rubocop\.yml$|^\.golangci\.ya?ml$|^\.?clippy\.toml$|^\.?rustfmt\.toml$/,
]

/** Whether a file says how tools check the work. */
export function isToolSettings(path: string): boolean {
  const name = posix.basename(path)
  // Most tools look for their settings with a dot before the name, too: `.pytest.ini`.
  const names = [name, name.replace(/^\./, '')]
  return (
    TOOL_SETTINGS.some((pattern) => names.some((each) => pattern.test(each))) || /(?:^|\/)\.cargo\/config(?:\.toml)?$/.test(path)
  )
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
): Promise<{ readonly files: ReadonlySet<string>; readonly lines: readonly string[]; readonly folders: ReadonlySet<string> }> {
  const files = new Set<string>()
  const lines: string[] = []
  const waiting: CommandIn[] = commands.map((line) => ({ line, folder: '' }))
  const seen = new Set<string>()
  const folders = new Set<string>()
  for (let next = waiting.shift(); next !== undefined && lines.length < LINES_MAX; next = waiting.shift()) {
    const isCheck = commands.includes(next.line) || next.isAll === true
    const [{ line, folder } = next, ...others] = inTheirFolders(next, known)
    waiting.push(...others.map((each) => ({ ...each, ...(isCheck ? { isAll: true as const } : {}) })))
    for (const name of moduleFolders({ line, folder })) folders.add(name)
    if (seen.has(`${folder}:${line}`)) continue
    seen.add(`${folder}:${line}`)
    lines.push(line)
    const scripts = await scriptsOf(folder, read)
    const found = packageScripts(line)
      .flatMap((name) => [name, `pre${name}`, `post${name}`])
      .flatMap((name) => (typeof scripts[name] === 'string' ? [scripts[name]] : []))
    const makefiles = MAKEFILES.map((name) => posix.join(folder, name))
    if (/(?:^|[\s;&|(])make\b/.test(line)) {
      const makefile = withVariables(await firstText(read, makefiles))
      const included = [...makefile.matchAll(/^[-s]?include\s+(.+)$/gm)].flatMap(([, names = '']) => names.split(/\s+/))
      const parts = included.map((name) => posix.join(folder, name)).filter((path) => known.has(path))
      for (const path of parts) files.add(path)
      for (const text of [makefile, ...(await Promise.all(parts.map(read)))]) found.push(...recipeLines(text ?? ''))
    }
    // `npm test` that runs one command, or a target with one line, is that command.
    const sole = isCheck
      ? found.length === 1
        ? found[0]
        : soleRecipe(line, withVariables(await firstText(read, makefiles)))
      : undefined
    const programs = isCheck || found.length === 0 ? await assertingPrograms({ line, folder }, known, read) : []
    for (const path of [...scriptsIn({ line, folder }, known, isCheck), ...programs]) {
      const isNamed = CHECK_NAME.test(posix.basename(path))
      const isAlone = isCheck && /^\s*\w+\s+\S+\s*$/.test(line)
      const imported = isNamed || isAlone ? await importedChecks(path, known, read) : []
      const makes = !isNamed && isScript(path) && !isShell(path) && isMaker((await read(path)) ?? '')
      if (makes && imported.length === 0) continue
      if (isSourced(path, { line, folder }) && isLibrary((await read(path)) ?? '')) continue
      files.add(path)
      for (const each of imported) files.add(each)
      for (const each of isShell(path) ? await decidingScripts(path, folder, known, read) : []) {
        files.add(each.line)
        waiting.push({ line: `sh ${posix.relative(each.folder, each.line)}`, folder: each.folder, isAll: true })
      }
      const own = isShell(path) ? ((await read(path)) ?? '').split('\n').filter((each) => !/^\s*#/.test(each)) : []
      found.push(
        ...own.map((each) => each.replaceAll(OWN_FOLDER, () => `${posix.relative(folder, posix.dirname(path)) || '.'}/`)),
      )
    }
    waiting.push(...found.map((each) => ({ line: each, folder, ...(each === sole ? { isAll: true as const } : {}) })))
  }
  return { files, lines, folders }
}

/** The folder of a shell script itself, as it writes it: `"$(dirname "$0")"/`. */
const OWN_FOLDER = /"?\$\(\s*dirname\s+(?:--\s+)?"?\$\{?(?:0|BASH_SOURCE(?:\[0\])?)\}?"?\s*\)"?\//g

/** The only line of the only target that a command makes. */
function soleRecipe(line: string, makefile: string): string | undefined {
  const [, target] = /^\s*make\s+(?:-\w+\s+)*([\w.-]+)\s*$/.exec(line) ?? []
  if (target === undefined) return undefined
  const [, recipe = ''] =
    new RegExp(`^${escaped(target)}\\s*:(?!=)[^\\n]*\\n((?:\\t[^\\n]*(?:\\n|$))*)`, 'm').exec(makefile) ?? []
  const lines = recipeLines(recipe)
  return lines.length === 1 ? lines[0] : undefined
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
  const served = [...line.matchAll(SERVES_CHECK)].flatMap(([, one = '', operands = '']) => [one, ...operands.split(/\s+/)])
  const files = new Set(served.map((word) => posix.join(folder, word)).filter((word) => !MADE.test(word)))
  // A file that has the name of a target makes `make` believe that there is nothing to do.
  const targets = new Set([...line.matchAll(/(?:^|[\s;&|(])make\s+([^;&|]*)/g)].flatMap(([, names = '']) => names.split(/\s+/)))
  const isRun = (word: string): boolean =>
    isCheckName(word) ||
    (isWhole && isShell(word) && !BUILD_NAME.test(posix.basename(word))) ||
    files.has(word) ||
    targets.has(word)
  return words.filter((word) => known.has(word) && isRun(word))
}

/** What is made by the work, or what a compiler reads: `cc -c add.c` names no settings. */
const MADE = /gen|dist|build|out|actual|\.(?:c|cc|cpp|cxx|c\+\+|h|hpp|m|mm|s|asm|f|f90|f95|d|adb|cu|ml|v|zig)$/i

/** Files that a shell sources, that a runner loads first or reads its settings from, and that output is compared with. */
const SERVES_CHECK =
  /(?:(?:^|[\s;&|(])(?:\.|source)\s+|\s(?:--(?:import|require|loader|experimental-loader|env-file|config|rcfile|setup\w*)|-r|-c)[=\s]\s*)["']?([^\s"';&|]+)|\b(?:diff|cmp|comm)\s([^;&|)]*)/g

/** Whether a command line sources a file. */
function isSourced(path: string, { line, folder }: CommandIn): boolean {
  return [...line.matchAll(SOURCES)].some(([, name = '']) => posix.join(folder, name.replace(/^\$\{?PWD\}?\//, '')) === path)
}

const SOURCES = /(?:^|[\s;&|({])(?:\.|source)\s+["']?([^\s"';&|)]+)/g

/** Whether a shell file defines functions, which are what is tested, and none of them looks like one that tests. */
function isLibrary(text: string): boolean {
  const names = [...text.matchAll(/^\s*(?:function\s+([\w:.-]+)|([\w:.-]+)\s*\(\))/gm)].map(([, one, two = '']) => one ?? two)
  const compares = /\$\{?1\}?"?\s*(?:=|==|!=|-eq|-ne)\s*"?\$\{?2/.test(text)
  return (
    names.length > 0 &&
    !compares &&
    !names.some((name) => /assert|expect|check|verif|fail|test|should|same|equal|^(?:ok|is|eq)$/i.test(name))
  )
}

/** A program that a check runs and that asserts something about other files of the project. */
async function assertingPrograms(
  { line, folder }: CommandIn,
  known: ReadonlySet<string>,
  read: SidesRequest['read'],
): Promise<readonly string[]> {
  const [, name = ''] =
    /^\s*(?:node|deno run|bun(?: run)?|tsx|python3?|ruby|perl|php)\s+(?:-\S+\s+)*([^\s;&|-]\S*)\s*$/.exec(line) ?? []
  const path = posix.join(folder, name)
  if (name === '' || !known.has(path)) return []
  const text = (await read(path)) ?? ''
  const asserts = /\bassert\b|\bexpect\(/.test(text)
  return asserts && /(?:from|import|require\()\s*\(?['"]\.|^\s*(?:from|import|use|require)\s/m.test(text) ? [path] : []
}

/**
 * A script that only its folder puts beside those that check makes what is checked if it never says that something failed, or if it
 * writes files and neither asserts nor starts anything.
 */
function isMaker(text: string): boolean {
  return !CHECKS.test(text) && (WRITES.test(text) || !/\bexit|throw|raise|fail|check|verif|import\(/i.test(text))
}

const CHECKS = /assert|expect|spawn|exec|child_process|subprocess|system\(|\btests?\b/i
const WRITES = /\bwriteFile|\bcreateWriteStream|\bcopyFile|\bcpSync|\bwrite_text\(|\bopen\([^\n]*['"][wa]b?['"]|\bshutil\.copy/

function isCheckName(path: string): boolean {
  return CHECK_NAME.test(path) && !BUILD_NAME.test(posix.basename(path))
}

/** What a script makes is checked, though it lies beside scripts that check. */
const BUILD_NAME = /^(?:build|bundle|compile|codegen|gen|generate)(?![a-z])(?!.*(?:test|check|verif))/i

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
  const waiting = paths.filter((path) => isToolSettings(path) || isRunnerSettings(path)).slice(0, SETTINGS_FILES_MAX)
  const seen = new Set<string>()
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (seen.has(path)) continue
    seen.add(path)
    const text = (await read(path)) ?? ''
    const place = posix.dirname(path)
    const inPlace = (word: string): string => posix.join(place, plain(word))
    if (isRunnerSettings(path) || files.has(path))
      for (const [, list = ''] of text.matchAll(
        /\b(?:include|testMatch|testDir|spec|testpaths|python_files)\s*[:=]\s*(\[[^\]]*\]|[^\n,}]+)/g,
      ))
        for (const word of strings(list)) (isFolder(inPlace(word)) ? folders : patterns).push(inPlace(word))
    const named = [
      ...[...text.matchAll(SET_UP_KEYS)].flatMap(([, list = '']) => strings(list)),
      ...[...text.matchAll(OTHER_SETTINGS)].map(([, word = '']) => word),
      ...[...text.matchAll(/\bpytest_plugins\s*=\s*(\[[^\]]*\]|.+)|(?:^|\s)["']?-p["',\s]+(\w[\w.]*)/gm)].flatMap(
        ([, list, one]) => (list === undefined ? [one ?? ''] : strings(list)).map((name) => `${name.replaceAll('.', '/')}.py`),
      ),
    ]
    for (const word of named) {
      const found = ['', '.js', '.ts', '.mjs', '.cjs', '.json', '/index.js']
        .map((end) => inPlace(word) + end)
        .find((each) => known.has(each))
      if (found === undefined || /(?:^|\/)src\//.test(found)) continue
      files.add(found)
      waiting.push(found)
    }
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

/** Other files that settings are made of. */
const OTHER_SETTINGS = /(?:\bfrom|\bimport|\brequire\(|\b(?:extends|preset|inherit_from)['"]?\s*[:=])\s*\[?\s*['"](\.[^'"]+)['"]/g
const SETTINGS_FILES_MAX = 200

function isRunnerSettings(path: string): boolean {
  return /(?:^|\/)(?:(?:vitest|vite|jest|playwright|cypress)\.(?:config|workspace)\.\w+|\.mocharc\..*|\.?pytest\.(?:ini|toml)|tox\.ini|setup\.cfg|pyproject\.toml)$/.test(
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
