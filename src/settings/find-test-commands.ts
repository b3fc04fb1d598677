import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A way to test a folder. */
export interface FoundTestCommand {
  /** The tool, as a short name. */
  readonly tool: string
  readonly command: string
  /** The file that says so. */
  readonly because: string
  /** The folder below that it is for; absent for the folder itself. */
  readonly cwd?: string
}

/**
 * How a folder is tested, as its files tell: one command for each kind of project in it, or else for each project in the folders below;
 * nothing if they do not tell.
 */
export function findTestCommands(folder: string, programs: FoundPrograms = {}): readonly FoundTestCommand[] {
  const commands = commandsIn(folder, programs)
  if (commands.length > 0) return commands
  return foldersBelow(folder)
    .flatMap((cwd) =>
      commandsIn(join(folder, cwd), programs).map((each) => ({ ...each, because: `${cwd}/${each.because}`, cwd })),
    )
    .slice(0, COMMANDS_BELOW_MAX)
}

/** More is no proposal that anybody reads. */
const COMMANDS_BELOW_MAX = 8

/** A command that installs what a folder needs. */
export interface FoundPrepare {
  readonly command: string
  /** What it makes. */
  readonly unless?: string
  readonly cwd?: string
  readonly because: string
}

/**
 * What makes a copy of a folder ready for its tests, as its lock files tell. Go and cargo keep packages outside of the project and fetch
 * them by themselves.
 */
export function findPrepare(folder: string, tests: readonly FoundTestCommand[]): readonly FoundPrepare[] {
  const places = [...new Set(['', ...tests.flatMap(({ cwd }) => cwd ?? [])])]
  return places.flatMap((cwd) => {
    const view = viewFolder(join(folder, cwd))
    return INSTALLS.flatMap(({ file, command: given, unless }) => {
      const command = typeof given === 'string' ? given : given(view)
      if (!view.has(file) || command === undefined) return []
      const because = cwd === '' ? file : `${cwd}/${file}`
      return [{ command, ...(unless === undefined ? {} : { unless }), ...(cwd === '' ? {} : { cwd }), because }]
    })
  })
}

interface Install {
  readonly file: string
  readonly command: string | ((folder: FolderView) => string | undefined)
  readonly unless?: string
}

const INSTALLS: readonly Install[] = [
  { file: 'package-lock.json', command: 'npm ci', unless: 'node_modules' },
  { file: 'pnpm-lock.yaml', command: 'pnpm install --frozen-lockfile', unless: 'node_modules' },
  {
    file: 'yarn.lock',
    command: (folder) => (folder.has('.yarnrc.yml') ? 'yarn install --immutable' : 'yarn install --frozen-lockfile'),
    unless: 'node_modules',
  },
  { file: 'bun.lock', command: 'bun install --frozen-lockfile', unless: 'node_modules' },
  { file: 'uv.lock', command: 'uv sync --frozen', unless: '.venv' },
  { file: 'poetry.lock', command: 'poetry install', unless: '.venv' },
  { file: 'Gemfile.lock', command: 'bundle install' },
  { file: 'composer.lock', command: 'composer install', unless: 'vendor' },
  // What a makefile calls so is meant for a fresh clone.
  {
    file: 'Makefile',
    command: (folder) => {
      const target = /^(setup|deps|bootstrap|generate)(?:\s[^:=]*)?:(?!=)/m.exec(folder.text('Makefile'))?.[1]
      return target === undefined ? undefined : `make ${target}`
    },
  },
]

/** Folders below that may be projects of their own. */
function foldersBelow(folder: string): readonly string[] {
  const inside = (below: string): readonly string[] =>
    attempt(() => readdirSync(join(folder, below), { withFileTypes: true }), [])
      .filter((entry) => entry.isDirectory() && !NO_PROJECTS.test(entry.name))
      .map(({ name }) => (below === '' ? name : `${below}/${name}`))
      .toSorted()
  return inside('').flatMap((name) => (GROUPS.test(name) ? inside(name) : [name]))
}

const NO_PROJECTS = /^(?:\..*|node_modules|vendor|dist|build|target|examples?|fixtures|docs?|tests?|scripts)$/
const GROUPS = /^(?:packages|apps|services|libs|modules|crates)$/

function commandsIn(folder: string, { hasPytest = true }: FoundPrograms): readonly FoundTestCommand[] {
  const view = viewFolder(folder)
  const commands = LANGUAGES.flatMap((find) => find(view, hasPytest) ?? [])
  // A makefile mostly calls what is found already.
  return commands.length > 0 ? commands : RUNNERS.flatMap((find) => find(view, hasPytest) ?? []).slice(0, 1)
}

/** Which programs are there, where another one could do the same. */
interface FoundPrograms {
  /** Default true: what a folder asks for is not replaced unless it is known to be missing. */
  readonly hasPytest?: boolean
}

type Finder = (folder: FolderView, hasPytest: boolean) => FoundTestCommand | undefined

const LANGUAGES: readonly Finder[] = [
  node,
  deno,
  pythonTests,
  rule('cargo', 'Cargo.toml', 'cargo test'),
  rule('go', 'go.mod', 'go test ./...'),
  rule('mix', 'mix.exs', 'mix test'),
  ruby,
  php,
  (folder) =>
    folder.has('pom.xml') ? found('maven', 'pom.xml', folder.has('mvnw') ? './mvnw -q test' : 'mvn -q test') : undefined,
  gradle,
  rule('swift', 'Package.swift', 'swift test'),
  rule('zig', 'build.zig', 'zig build test'),
  rule('sbt', 'build.sbt', 'sbt test'),
  rule('stack', 'stack.yaml', 'stack test'),
  dart,
  (folder) => (folder.hasLike(/\.(?:sln|slnx|csproj|fsproj)$/) ? found('dotnet', 'the .NET project', 'dotnet test') : undefined),
]

const RUNNERS: readonly Finder[] = [
  (folder) => fromTargets(folder, 'make', ['GNUmakefile', 'makefile', 'Makefile']),
  (folder) => fromTargets(folder, 'just', ['justfile', 'Justfile', '.justfile']),
]

function rule(tool: string, file: string, command: string): Finder {
  return (folder) => (folder.has(file) ? found(tool, file, command) : undefined)
}

function found(tool: string, because: string, command: string): FoundTestCommand {
  return { tool, command, because }
}

/** npm writes a script that only fails; that is no test. */
function node(folder: FolderView): FoundTestCommand | undefined {
  const { scripts, devDependencies, dependencies, packageManager } = folder.json('package.json')
  const manager = packageManagerOf(folder, packageManager)
  const script = textIn(scripts, 'test')
  if (script !== undefined && script.trim() !== '' && !script.includes('no test specified')) {
    return found(manager, 'package.json', manager === 'bun' ? 'bun run test' : `${manager} test`)
  }
  const has = (name: string) => textIn(devDependencies, name) !== undefined || textIn(dependencies, name) !== undefined
  const isWorkspace = folder.json('package.json')['workspaces'] !== undefined
  if (isWorkspace && manager === 'npm') return found('npm', 'workspaces in package.json', 'npm test --workspaces --if-present')
  if (folder.has('pnpm-workspace.yaml')) return found('pnpm', 'pnpm-workspace.yaml', 'pnpm -r test')
  if (has('vitest')) return found('vitest', 'package.json', 'npx vitest run')
  return has('jest') ? found('jest', 'package.json', 'npx jest') : undefined
}

function packageManagerOf(folder: FolderView, named: unknown): string {
  const name = typeof named === 'string' ? /^(?:npm|pnpm|yarn|bun)(?=@|$)/.exec(named)?.[0] : undefined
  if (name !== undefined) return name
  if (folder.has('pnpm-lock.yaml')) return 'pnpm'
  if (folder.has('yarn.lock')) return 'yarn'
  return folder.has('bun.lock', 'bun.lockb') ? 'bun' : 'npm'
}

function deno(folder: FolderView): FoundTestCommand | undefined {
  const file = ['deno.json', 'deno.jsonc'].find((name) => folder.has(name))
  if (file === undefined) return undefined
  const hasTask = textIn(folder.json(file)['tasks'], 'test') !== undefined
  return found('deno', file, hasTask ? 'deno task test' : 'deno test')
}

function ruby(folder: FolderView): FoundTestCommand | undefined {
  if (folder.has('.rspec') || folder.hasLike(/_spec\.rb$|^spec_helper\.rb$/, 'spec')) {
    return found('rspec', folder.has('.rspec') ? '.rspec' : 'spec/', folder.has('Gemfile') ? 'bundle exec rspec' : 'rspec')
  }
  if (!folder.has('Gemfile') || !folder.has('Rakefile')) return undefined
  return folder.hasLike(/_test\.rb$|^test_.*\.rb$/, 'test') ? found('rake', 'Rakefile', 'bundle exec rake test') : undefined
}

function php(folder: FolderView): FoundTestCommand | undefined {
  if (hasScript(folder.json('composer.json')['scripts'])) return found('composer', 'composer.json', 'composer test')
  const file = ['phpunit.xml', 'phpunit.xml.dist'].find((name) => folder.has(name))
  return file === undefined ? undefined : found('phpunit', file, 'vendor/bin/phpunit')
}

function gradle(folder: FolderView): FoundTestCommand | undefined {
  const file = ['build.gradle', 'build.gradle.kts'].find((name) => folder.has(name))
  return file === undefined ? undefined : found('gradle', file, folder.has('gradlew') ? './gradlew test' : 'gradle test')
}

function dart(folder: FolderView): FoundTestCommand | undefined {
  if (!folder.has('pubspec.yaml') || !folder.has('test')) return undefined
  const isFlutter = /^\s+flutter:/m.test(folder.text('pubspec.yaml'))
  return found(isFlutter ? 'flutter' : 'dart', 'pubspec.yaml', isFlutter ? 'flutter test' : 'dart test')
}

/** A target or recipe called `test`; `test := x` is a variable. */
function fromTargets(folder: FolderView, tool: string, files: readonly string[]): FoundTestCommand | undefined {
  const file = files.find((name) => /^test(?:\s[^:=]*)?:(?!=)/m.test(folder.text(name)))
  return file === undefined ? undefined : found(tool, file, `${tool} test`)
}

function hasScript(scripts: unknown): boolean {
  return typeof scripts === 'object' && scripts !== null && Object.hasOwn(scripts, 'test')
}

function textIn(map: unknown, key: string): string | undefined {
  if (typeof map !== 'object' || map === null || !Object.hasOwn(map, key)) return undefined
  const value = (map as Record<string, unknown>)[key]
  return typeof value === 'string' ? value : undefined
}

/**
 * How a Python project is tested: with pytest, unless that is not installed, nothing in the folder asks for it, and all its tests
 * are unittest's.
 */
function pythonTests(folder: FolderView, hasPytest: boolean): FoundTestCommand | undefined {
  const because = pythonSign(folder)
  if (because === undefined) return undefined
  const runner = folder.has('uv.lock') ? 'uv run ' : folder.has('poetry.lock') ? 'poetry run ' : ''
  const isOpen = runner === '' && !hasPytest && !asksForPytest(folder)
  return (isOpen ? unittest(folder) : undefined) ?? { tool: 'pytest', command: `${runner}pytest -q`, because }
}

/** Tools for other languages are configured in pyproject.toml too, so it counts only when it is about a project or its tests. */
function pythonSign(folder: FolderView): string | undefined {
  if (/^\[(?:project|build-system|tool\.(?:poetry|pytest))\b/m.test(folder.text('pyproject.toml'))) return 'pyproject.toml'
  const named = ['pytest.ini', 'conftest.py'].find((name) => folder.has(name))
  if (named !== undefined) return named
  const section = ['setup.cfg', 'tox.ini'].find((name) => /^\[(?:tool:)?pytest\]/m.test(folder.text(name)))
  if (section !== undefined) return section
  const below = PLACES.find((place) => folder.hasLike(TEST_FILE, place) || folder.hasLike(/^conftest\.py$/, place))
  return below === undefined ? undefined : placeWords(below)
}

const PLACES = ['tests', 'test', ''] as const

const TEST_FILE = /^(?:test_.*|.*_test)\.py$/

function placeWords(place: string): string {
  return place === '' ? 'the test files' : `${place}/`
}

/** Whoever configures pytest, or lists it among what is needed, has to install it. */
function asksForPytest(folder: FolderView): boolean {
  if (folder.has('pytest.ini') || PLACES.some((place) => folder.hasLike(/^conftest\.py$/, place))) return true
  const lists = ['pyproject.toml', 'setup.cfg', 'setup.py', 'tox.ini', 'Pipfile', ...folder.namesLike(/^requirements.*\.txt$/)]
  return lists.some((name) => /\bpytest\b/.test(folder.text(name)))
}

/** unittest finds no tests in a folder that is no package, unless it begins there; and no functions. */
function unittest(folder: FolderView): FoundTestCommand | undefined {
  const place = PLACES.find((each) => folder.hasLike(TEST_FILE, each))
  if (place === undefined) return undefined
  const files = folder.namesLike(TEST_FILE, place)
  const texts = files.slice(0, FILES_MAX).map((name) => folder.text(place === '' ? name : `${place}/${name}`))
  if (texts.some(isPytests) || !texts.some((text) => /^class \w+\(.*\bTestCase\)/m.test(text))) return undefined
  const isPackage = place === '' || folder.hasLike(/^__init__\.py$/, place)
  const pattern = files.some((name) => name.startsWith('test_')) ? '' : ' -p "*_test.py"'
  const from = isPackage ? (pattern === '' ? '' : ' discover') : ` discover -s ${place}`
  return { tool: 'unittest', command: `python3 -m unittest${from}${pattern}`, because: placeWords(place) }
}

function isPytests(text: string): boolean {
  return /^\s*(?:import|from) pytest\b|^(?:async )?def test_/m.test(text)
}

/** More than enough to see how tests are written. */
const FILES_MAX = 50

/** The top of a folder, as far as finding out about it needs. What cannot be read counts as not there. */
export interface FolderView {
  has(...names: readonly string[]): boolean
  /** Whether a name of the folder, or of a folder in it, fits. */
  hasLike(pattern: RegExp, below?: string): boolean
  /** The names that fit, of the folder or of a folder in it. */
  namesLike(pattern: RegExp, below?: string): readonly string[]
  /** Empty when there is no such file. */
  text(name: string): string
  /** An empty map when the file is not there or no JSON map. */
  json(name: string): Readonly<Record<string, unknown>>
}

/** Looks at a folder without changing anything. */
function viewFolder(folder: string): FolderView {
  const names = (below = '') => attempt(() => readdirSync(join(folder, below)), [])
  const top = new Set(names())
  const text = (name: string) =>
    attempt(() => (statSync(join(folder, name)).size <= BYTES_MAX ? readFileSync(join(folder, name), 'utf8') : ''), '')
  return {
    has: (...wanted) => wanted.some((name) => top.has(name)),
    hasLike: (pattern, below) => names(below).some((name) => pattern.test(name)),
    namesLike: (pattern, below) => names(below).filter((name) => pattern.test(name)),
    text,
    json: (name) => {
      const value: unknown = attempt(() => JSON.parse(text(name)), undefined)
      return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
    },
  }
}

/** More than any file that says how a project is tested. */
const BYTES_MAX = 1024 * 1024

function attempt<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read()
  } catch {
    // An unreadable file says nothing; the part that needs it will report it.
    return otherwise
  }
}
