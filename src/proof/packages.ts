import { createHash } from 'node:crypto'
import { lstat, readdir, readFile, readlink, stat } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, posix, relative } from 'node:path'
import { isTestFile } from '../core/measures/test-file.ts'
import type { SnapshotFiles } from '../workspaces/workspace.ts'
import { isToolSettings, type Sides } from './sides.ts'

/**
 * What is installed beside the project's files: a line for each package with its path and a fingerprint. `leftOut` lists what no snapshot
 * has.
 */
export async function packagesIn(cwd: string, leftOut: readonly string[]): Promise<string> {
  const budget = { files: HASHED_FILES_MAX, bytes: HASHED_BYTES_MAX }
  const lines = [`${SETTINGS} ${createHash('sha256').update(homedir()).digest('hex').slice(0, 16)}`]
  for (const [name, place] of await settingsBesides(cwd, leftOut)) lines.push(`${name} ${await fingerprint(place, budget)}`)
  const ignored = leftOut.filter((path) => !path.endsWith('/') && !LEFT_BY_TOOLS.test(path)).slice(0, IGNORED_FILES_MAX)
  for (const path of ['', ...ignored.toSorted()])
    lines.push(`${IGNORED}${path} ${path === '' ? '-' : await fingerprint(join(cwd, path), budget)}`)
  for (const path of leftOut.map((each) => each.replace(/\/$/, '')).toSorted()) {
    if (!FOLDERS.has(posix.basename(path))) continue
    for (const unit of await unitsIn(cwd, path))
      lines.push(`${unit} ${await fingerprint(join(cwd, unit.split(PROGRAM_OF)[0]!), budget)}`)
  }
  return lines.join('\n')
}

/** The first line of a list that has settings too, with whose: runs from before have none, and another home folder says nothing. */
const SETTINGS = 'settings'

/** Before an ignored file, which checks may read. A line without a path says that they are listed. */
const IGNORED = 'ignored:'
const IGNORED_FILES_MAX = 500
/** What checks write themselves. */
const LEFT_BY_TOOLS =
  /\.(?:log|xml|db|sqlite\d?|info|lcov|tsbuildinfo|pyc|pyo|o|a|so|class|out|tmp|swp|pid|sock|html|tap)(?:-\w+)?$|(?:^|\/)(?:\.coverage|\.eslintcache|\.DS_Store|\.stylelintcache)[^/]*$/

/** Ignored files that are new or different. Nobody knows of a run that has no list of them. */
export function changedIgnored(before: string, now: string): readonly string[] {
  const known = new Set(before.split('\n'))
  if (!known.has(`${IGNORED} -`)) return []
  return now
    .split('\n')
    .filter((line) => line.startsWith(IGNORED) && !known.has(line))
    .map((line) => pathAndPrint(line)[0].slice(IGNORED.length))
}

/**
 * What checks read and no snapshot has: tests and settings that are ignored, and settings of the user's and in the folders above. By the
 * name that is shown and the place.
 */
async function settingsBesides(
  cwd: string,
  leftOut: readonly string[],
): Promise<readonly (readonly [name: string, place: string])[]> {
  const ignored: string[] = []
  for (const path of leftOut) {
    if (/(?:^|\/)(?:dist|build|out|lib|target|coverage|node_modules|\.(?!git\b)[^/]*)\//.test(path)) continue
    const inside = path.endsWith('/') && isTestFile(`${path}x.js`) ? await readdir(join(cwd, path), { recursive: true }) : []
    ignored.push(...(path.endsWith('/') ? inside.slice(0, IGNORED_TESTS_MAX).map((name) => path + name) : [path]))
  }
  const above: string[] = []
  for (let folder = dirname(cwd); folder !== dirname(folder) && folder !== tmpdir(); folder = dirname(folder))
    above.push(...(await readdir(folder).catch(() => [])).filter(isToolSettings).map((name) => join(folder, name)))
  const places = [
    ...ignored.filter((path) => isTestFile(path) || isToolSettings(path)).map((path) => [path, join(cwd, path)] as const),
    ...above.map((place) => [posix.join('..', relative(dirname(cwd), place)), place] as const),
    ...HOME_SETTINGS.map((name) => [`~/${name}`, join(homedir(), name)] as const),
    ['.git/info/exclude', join(cwd, '.git/info/exclude')] as const,
  ]
  const files = await Promise.all(
    places.map(async (each) => ((await stat(each[1]).catch(() => undefined))?.isFile() ? [each] : [])),
  )
  return files.flat()
}

const IGNORED_TESTS_MAX = 1000
const HOME_SETTINGS = [
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.cargo/config.toml',
  '.cargo/config',
  '.config/git/ignore',
  '.proverc',
]

const FOLDERS: ReadonlySet<string> = new Set('node_modules .venv venv vendor bower_components Pods deps'.split(' '))
const HASHED_FILES_MAX = 4000
const HASHED_BYTES_MAX = 24 * 1024 * 1024
const HASHED_FILE_BYTES_MAX = 512 * 1024

/** The packages and programs in a folder. Caches, and what tools generate into folders with a dot, are no packages. */
async function unitsIn(cwd: string, folder: string): Promise<readonly string[]> {
  if (!(await stat(join(cwd, folder)).catch(() => undefined))?.isDirectory()) return []
  const units: string[] = []
  const isNode = folder.split('/').includes('node_modules')
  for (const name of (await readdir(join(cwd, folder))).toSorted()) {
    const path = `${folder}/${name}`
    const isGroup = name.startsWith('@') || (isNode ? ['.bin', '.pnpm'] : ['bin', 'lib', 'lib64', 'site-packages']).includes(name)
    const found = await lstat(join(cwd, path))
    if (found.isDirectory() && (isGroup || /^python\d/.test(name))) units.push(...(await unitsIn(cwd, path)))
    else if (posix.basename(folder) === '.bin') units.push(`${path}${PROGRAM_OF}${await packageOfProgram(join(cwd, path))}`)
    else if (!name.startsWith('.') && !isCompiled(name)) units.push(path)
  }
  return units
}

/** Between a program in `.bin` and the package it belongs to. */
const PROGRAM_OF = ' of '

/** The package that a program in `.bin` leads to, as a link or as a script that names it; empty for a program of its own. */
async function packageOfProgram(path: string): Promise<string> {
  const text = await readlink(path).catch(() => readFile(path, 'utf8').catch(() => ''))
  return /\.\.\/((?:@[^/"'\s]+\/)?[^/"'\s.][^/"'\s]*)\//.exec(text)?.[1] ?? ''
}

function isCompiled(name: string): boolean {
  return name === '__pycache__' || name.endsWith('.pyc')
}

interface Budget {
  files: number
  bytes: number
}

/** By content as long as that is quick, by size and change time after that: installing the same again changes no content. */
async function fingerprint(path: string, budget: Budget): Promise<string> {
  const hash = createHash('sha256')
  const add = async (place: string, name: string): Promise<void> => {
    const found = await lstat(place)
    if (found.isSymbolicLink()) hash.update(`${name}\0link\0${await readlink(place)}\n`)
    else if (found.isDirectory()) {
      for (const each of (await readdir(place)).toSorted()) if (!isCompiled(each)) await add(join(place, each), `${name}/${each}`)
    } else if (found.size <= HASHED_FILE_BYTES_MAX && budget.files > 0 && budget.bytes >= found.size) {
      budget.files -= 1
      budget.bytes -= found.size
      hash.update(`${name}\0${found.mode & 0o111 ? 'x' : '-'}\0`).update(await readFile(place))
    } else hash.update(`${name}\0${found.size}\0${found.ctimeMs}\n`)
  }
  await add(path, '')
  return hash.digest('hex').slice(0, 12)
}

/**
 * Packages that are new or different and whose change no lock file explains; without a lock file the manifest has to. Nothing explains
 * another version of `tools`, which the checks rely on, nor of settings.
 */
export async function unexplainedPackages(
  before: string,
  now: string,
  trees: { readonly start: SnapshotFiles; readonly present: SnapshotFiles },
  tools: ReadonlySet<string> = new Set(),
): Promise<readonly string[]> {
  const known = new Map(before.split('\n').map(pathAndPrint))
  const hasSettings = known.has(SETTINGS) && known.get(SETTINGS) === pathAndPrint(now.split('\n')[0] ?? '')[1]
  const changed = now
    .split('\n')
    .filter((line) => line !== '')
    .map(pathAndPrint)
    .filter(([path, print]) => known.get(path) !== print)
    .map(([path]) => path)
    .filter(
      (path) =>
        path !== SETTINGS && !path.startsWith(IGNORED) && (hasSettings || path.split('/').some((part) => FOLDERS.has(part))),
    )
  if (changed.length === 0) return []
  const { all, added, hasNpmLock } = await dependencyLines(trees)
  const isExplained = (path: string): boolean => {
    const [place = '', program] = path.split(PROGRAM_OF)
    const name = plainName(program ?? packageName(place))
    const isInstalled = place.split('/').some((part) => FOLDERS.has(part)) && !place.startsWith('..')
    if (name === '' || !isInstalled || (known.has(path) && tools.has(program ?? packageName(place)))) return false
    const isNamed = (line: string): boolean => plainName(line).includes(name)
    // Python's name for a package isn't always the one that it is installed by.
    if (place.includes('/site-packages/')) return added.length > 0 || !before.includes('/site-packages/')
    if (known.has(path)) return added.some(isNamed)
    // A package that wasn't there is explained by being listed; npm's lock file lists where each belongs.
    if (program === undefined && hasNpmLock) return all.some((line) => line.includes(`"${place}"`))
    const folder = place.slice(0, Math.max(0, place.lastIndexOf('node_modules/') - 1))
    const isOfProject = [...trees.start.files.keys()].some(
      (each) => MANIFESTS.test(each) && posix.dirname(each) === (folder || '.'),
    )
    return isOfProject && (added.length > 0 || all.some(isNamed))
  }
  return changed.filter((path) => !isExplained(path)).map((path) => path.split(PROGRAM_OF)[0]!)
}

/** Packages that are part of the project's own files and that the work changed, as `packagesIn` lists them. */
export function packagesInTree(changes: readonly { readonly path: string; readonly before?: object; readonly now?: object }[]): {
  readonly before: string
  readonly now: string
} {
  const units = new Map<string, boolean>()
  for (const { path, before } of changes) {
    const [unit] = /^(?:.*\/)?(?:node_modules|site-packages)\/(?:\.bin\/)?(?:@[^/]+\/)?[^/.][^/]*/.exec(path) ?? []
    if (unit !== undefined) units.set(unit, units.get(unit) === true || before !== undefined)
  }
  const known = [...units.keys()].filter((unit) => units.get(unit))
  return {
    before: known.map((unit) => `${unit} before`).join('\n'),
    now: [...units.keys()].map((unit) => `${unit} now`).join('\n'),
  }
}

/** Packages that only tests import, and programs that the checks run: what they say of the work rests on them. */
export async function toolsOfTests(
  paths: readonly string[],
  { isTest, lines }: Pick<Sides, 'isTest' | 'lines'>,
  read: (path: string) => Promise<string | undefined>,
): Promise<ReadonlySet<string>> {
  const imported = async (chosen: readonly string[]): Promise<readonly string[]> => {
    const texts = await Promise.all(
      chosen
        .filter((path) => /\.(?:[cm]?[jt]sx?|vue|svelte)$/.test(path))
        .slice(0, IGNORED_TESTS_MAX)
        .map(read),
    )
    return texts.flatMap((text = '') =>
      [...text.matchAll(/(?:from|import|require\()\s*\(?['"]((?:@[^/'"]+\/)?[^./'"][^/'"]*)/g)].map(([, name = '']) => name),
    )
  }
  const ofCode = new Set(await imported(paths.filter((path) => !isTest(path))))
  const programs = lines.flatMap((line) => line.split(/[\s;&|()"'/=]+/))
  return new Set([...programs, ...(await imported(paths.filter(isTest)))].filter((name) => !ofCode.has(name)))
}

function pathAndPrint(line: string): readonly [path: string, print: string] {
  const space = line.lastIndexOf(' ')
  return [line.slice(0, space), line.slice(space + 1)]
}

function packageName(path: string): string {
  const [, scope = '', name = ''] = /(@[^/]+\/)?([^/]+)$/.exec(path) ?? []
  return scope + name.replace(/(.)@.*$/, '$1')
}

function plainName(text: string): string {
  return text.toLowerCase().replaceAll(/[-_.+]+/g, '-')
}

/** Whether a file lists what is installed. */
export function listsPackages(path: string): boolean {
  return LOCKS.test(path) || MANIFESTS.test(path)
}

const LOCKS =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|(?:uv|poetry|Pipfile|Cargo|composer|Gemfile)\.lock|go\.sum)$/
const MANIFESTS =
  /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|Pipfile|requirements[\w.-]*\.(?:txt|in)|Cargo\.toml|go\.mod|composer\.json|Gemfile)$/

interface DependencyLines {
  readonly all: readonly string[]
  /** Lines that weren't there at the start. */
  readonly added: readonly string[]
  readonly hasNpmLock: boolean
}

/** The lines of lock files, or of manifests where the project has no lock file. */
async function dependencyLines(trees: { start: SnapshotFiles; present: SnapshotFiles }): Promise<DependencyLines> {
  const paths = [...trees.present.files.keys()]
  const locks = paths.filter((path) => LOCKS.test(path))
  const [all, added]: [string[], string[]] = [[], []]
  for (const path of locks.length > 0 ? locks : paths.filter((each) => MANIFESTS.test(each))) {
    const lines = await linesOf(trees.present, path)
    const old = new Set(await linesOf(trees.start, path))
    all.push(...lines)
    added.push(...lines.filter((line) => !old.has(line)))
  }
  return { all, added, hasNpmLock: locks.some((path) => path.endsWith('package-lock.json')) }
}

async function linesOf(files: SnapshotFiles, path: string): Promise<readonly string[]> {
  return ((await files.read(path))?.toString('utf8') ?? '').split('\n')
}
