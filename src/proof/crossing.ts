import { posix } from 'node:path'
import type { SnapshotFile, SnapshotFiles } from '../workspaces/workspace.ts'
import { changedExamples, testsInside, withModules, withOldBlocks, withOldExamples } from './embedded-tests.ts'
import { isGrownMakefile, manifestForOldTests, withMembers, withSourceFolder } from './manifests.ts'
import {
  inNewModules,
  inNewNames,
  keepsMost,
  type Renames,
  renamesBetween,
  type SourceNames,
  sourceNames,
  withoutComments,
} from './same-test.ts'
import { isCodeFile } from '../core/measures/test-file.ts'
import { isCompilerSettings, isManifest, type Sides } from './sides.ts'
import { isFarReaching, type SuspiciousLine, suspiciousLines, withoutOwnFrameworks } from './suspicious-source.ts'

/** How a room differs from the present tree. */
export interface RoomChanges {
  readonly remove: readonly string[]
  readonly write: readonly RoomFile[]
  /** Set if the code and the tests are the present ones. */
  readonly isPresent?: true
}

export interface RoomFile {
  readonly path: string
  readonly kind: SnapshotFile['kind']
  readonly content: Buffer
}

export interface CrossingRequest {
  /** The files when the unit of work began, with what people changed since. */
  readonly start: SnapshotFiles
  readonly present: SnapshotFiles
  readonly sides: Sides
  /** Whether a person allowed this test to be changed. */
  mayChange(path: string): boolean
}

/** What the work did to code and tests, and the trees in which each is tried with the other. */
export interface Crossing {
  /** Test-side files that differ from the start and are not the same test at another place or with renamed names. */
  readonly changedTests: readonly string[]
  /** Tests that a person let the agent change, as they were at the start, where they differ now. */
  readonly allowedTests: ReadonlyMap<string, string>
  /** Whether a file with tests changed or a file is gone, so that a test may have another id. */
  readonly canTestsMove: boolean
  /** Names that were changed in code and tests alike. */
  readonly renames: Renames
  /** The present tree, as it is run: without what checks compiled from tests. */
  readonly presentTree: RoomChanges
  /** The present code with the start's tests. */
  readonly oldTests: RoomChanges
  /** The present code and tests with the start's settings, and tests that were removed or cut: for checks of which tests are the subject. */
  readonly oldSettings: RoomChanges
  /** The start's code with the present tests. */
  readonly oldCode: RoomChanges
  /** Everything as it was at the start. */
  readonly asAtStart: RoomChanges
  readonly suspicious: readonly SuspiciousLine[]
  /** Changed code and data, by path. */
  readonly texts: ReadonlyMap<string, Texts>
  /** Lines of tests that switch a check off. */
  readonly suspiciousInTests: readonly SuspiciousLine[]
  /** Whether new code does more than compute, so that it is worth seeing its tests fail. */
  readonly isFarReaching: boolean
  /** What the work changed besides tests: code, only texts for people, or only comments. */
  readonly substance: 'code' | 'prose' | 'comments'
  /** Whether the work changed tests and nothing else. */
  readonly isOnlyTests: boolean
  /** Whether the changed tests assert something about the code. */
  readonly asserts: boolean
}

/** Compares the two trees and says what each room has to look like. */
export async function crossingOf({ start, present, sides, mayChange }: CrossingRequest): Promise<Crossing> {
  const changes = changesBetween(start, present)
  const commands = sides.lines.join('\n')
  const grown = await grownMakefiles(changes, start, present)
  const isTest = (change: Change): boolean =>
    (sides.isTest(change.path) && !grown.has(change.path)) || (isManifest(change.path) && isUnsplit(change))
  const compiled = await compiledIn(changes.filter(isTest), present)
  const [tests, allowed] = partition(
    changes.filter((change) => isTest(change) && !compiled.includes(change.path)),
    ({ path }) => !mayChange(path),
  )
  const code = changes.filter((change) => !isTest(change))
  const texts = await textsOf(code, start, present)
  const names = namesIn(code, texts)
  const same = await sameTests(tests, start, present, names)
  const changed = tests.filter(({ path }) => !same.paths.has(path))
  // Where nothing of the code has another name or place, tests that moved work at their old one, too, and settings may name it.
  const isCodeRenamed = same.renames.size > 0 || names.goneFiles.length > 0
  const inside = [...texts].flatMap(([path, { before, now }]) => oldInside(path, before, now))
  // A new file that has its tests inside is new code with a new test.
  const newInside = code.filter(({ path, before }) => !before && testsInside(path, texts.get(path)?.now ?? '') !== undefined)
  const examples = [...texts].flatMap(([path, { before, now }]) =>
    before !== undefined && now !== undefined && changedExamples(path, before, now).length > 0 ? [path] : [],
  )
  const oldExamples = [...texts].flatMap(([path, { before, now }]) => {
    if (before === undefined || now === undefined || inside.some((file) => file.path === path)) return []
    const text = withOldExamples(path, before, now, (all) => inNewNames(path, all, now, names))
    return text === undefined ? [] : [{ path, kind: kindOf(present, path), content: Buffer.from(text) }]
  })
  const oldTests = await changesTo(start, isCodeRenamed ? changed : tests)
  const testTexts = await textsOf(
    changed.filter(({ before }) => before),
    start,
    present,
  )
  const isForm = ({ path, before: old }: Change): boolean => {
    const { before = '', now } = testTexts.get(path) ?? {}
    return sides.reasonFor(path) === 'test' && (!old || (now !== undefined && keepsMost(before, now)))
  }
  const oldSettings = await changesTo(
    start,
    changed.filter((change) => !isForm(change)),
  )
  const added = await Promise.all(tests.filter(({ before }) => !before).map(({ path }) => textIn(present, path)))
  const addedTexts = added.join('\n')
  const oldTestFiles = await Promise.all(
    oldTests.write.map(async (file) => testInNewNames(file, (await textIn(present, file.path)) ?? addedTexts, names)),
  )
  const allowedTexts = await Promise.all(allowed.map(async ({ path }) => [path, (await textIn(start, path)) ?? ''] as const))
  return {
    allowedTests: new Map(allowedTexts),
    canTestsMove: changes.some(
      (change) =>
        change.before &&
        (!change.now || isTest(change) || testsInside(change.path, texts.get(change.path)?.before ?? '') !== undefined),
    ),
    texts,
    changedTests: [...[...changed, ...inside, ...newInside].map(({ path }) => path), ...examples],
    renames: same.renames,
    oldTests: {
      remove: [...oldTests.remove, ...compiled],
      write: [...oldTestFiles, ...inside.map((file) => ({ ...file, kind: kindOf(present, file.path) })), ...oldExamples],
    },
    oldSettings: {
      remove: [...oldSettings.remove, ...compiled],
      write: [
        ...oldSettings.write,
        ...inside.filter(({ path }) => isManifest(path)).map((file) => ({ ...file, kind: kindOf(present, file.path) })),
      ],
    },
    presentTree: { remove: compiled, write: [], isPresent: true },
    oldCode: withNewBlocks(withRemoved(await changesTo(start, code), compiled), texts, present),
    asAtStart: withRemoved(
      await changesTo(
        start,
        changes.filter(({ path }) => !compiled.includes(path)),
      ),
      compiled,
    ),
    suspicious: withoutOwnFrameworks(
      [
        ...[...texts].flatMap(([path, { before = '', now = '' }]) => suspiciousLines(path, before, now, commands)),
        ...[...texts].flatMap(([path, { before = '', now = '' }]) => dataOfTests(path, before, now, sides, start)),
        ...code.flatMap((change) => linkOutside(change, texts.get(change.path)?.now ?? '', present)),
      ],
      {
        'package.json': (await textIn(start, 'package.json')) ?? '',
        'pyproject.toml': (await textIn(start, 'pyproject.toml')) ?? '',
      },
    ),
    suspiciousInTests: [...testTexts]
      .flatMap(([path, { before = '', now = '' }]) => suspiciousLines(path, before, now, commands))
      .filter(({ kind }) => kind === 'check-switched-off'),
    isFarReaching: [...texts].some(
      // Cargo's manifest says which files have the tests.
      ([path, { before = '', now = '' }]) =>
        posix.basename(path) === 'Cargo.toml' || (!PROSE.test(path) && isFarReaching(before, now)),
    ),
    substance: substanceOf(code, texts),
    isOnlyTests: code.length === 0 && changed.length > 0,
    asserts: inside.length + newInside.length + examples.length > 0 || (await assertsSomething(changed, start, present)),
  }
}

/** New lines of code that name a file which tests compare with. */
function dataOfTests(
  path: string,
  before: string,
  now: string,
  sides: Sides,
  { files }: SnapshotFiles,
): readonly SuspiciousLine[] {
  if (!isCodeFile(path)) return []
  const known = new Set(before.split('\n'))
  const isData = (name: string): boolean => {
    const place = name.replace(/^(?:\.{0,2}\/)*/, '')
    const reason = files.has(place) && !isCodeFile(place) ? sides.reasonFor(place) : undefined
    return reason === 'test' || reason === 'script' || reason === 'set-up'
  }
  const lines = now.split('\n').filter((line) => !known.has(line))
  const naming = lines.filter((line) => [...line.matchAll(/['"`]([\w./-]+\.\w+)['"`]/g)].some(([, name = '']) => isData(name)))
  return naming.map((line) => ({ kind: 'test-framework', file: path, text: line.trim() }))
}

/** A link to something that isn't part of the project, nor installed in it. */
function linkOutside({ path, now }: Change, target: string, { files }: SnapshotFiles): readonly SuspiciousLine[] {
  if (now?.kind !== 'link') return []
  const place = posix.normalize(posix.join(posix.dirname(path), target)).replace(/\/$/, '')
  const isInside = !target.startsWith('/') && (files.has(place) || [...files.keys()].some((each) => each.startsWith(`${place}/`)))
  const isInstalled = !place.startsWith('..') && place.split('/').includes('node_modules')
  return isInside || isInstalled ? [] : [{ kind: 'check-patched', file: path, text: `-> ${target}` }]
}

/** Comments can't make a test pass. */
function substanceOf(code: readonly Change[], texts: ReadonlyMap<string, Texts>): Crossing['substance'] {
  const kinds = code.map(({ path, ...file }): Crossing['substance'] => {
    if (file.before && file.now && file.before.kind !== file.now.kind) return 'code'
    const { before, now } = texts.get(path) ?? {}
    const hasComments = /\.(?:[cm]?[jt]sx?|vue|svelte|py|rb|go|rs|php|sh|c|h|cc|cpp|java|kt|cs|swift)$/.test(path)
    if (hasComments && before !== undefined && now !== undefined && bare(before) === bare(now)) return 'comments'
    return PROSE.test(path) ? 'prose' : 'code'
  })
  // Where no code changed, a person let the agent change tests.
  if (kinds.length === 0) return 'prose'
  return (['code', 'prose'] as const).find((each) => kinds.some((kind) => kind === each)) ?? 'comments'
}

/** Texts for people. */
export const PROSE = /\.(?:md|markdown|rst|txt|adoc)$|(?:^|\/)(?:LICENSE|CHANGELOG|README)$/

function bare(text: string): string {
  return withoutComments(text).replaceAll(/\s+/g, '')
}

/** Whether what is new in these tests asserts anything but constants; where nobody can tell, it does. */
async function assertsSomething(tests: readonly Change[], start: SnapshotFiles, present: SnapshotFiles): Promise<boolean> {
  for (const { path, now } of tests) {
    if (!now) continue
    if (!/\.(?:[cm]?[jt]sx?|py)$/.test(path)) return true
    const [before, text] = [((await textIn(start, path)) ?? '').split('\n'), ((await textIn(present, path)) ?? '').split('\n')]
    // A test that was skipped and runs now asserts what it always did.
    const isSwitchedOn = before.some((line) => SKIPPED.test(line) && !text.includes(line))
    const old = new Set(isSwitchedOn ? [] : before)
    const added = withoutComments(
      text.filter((line) => !old.has(line) && !/^\s*(?:import|from|const .*=\s*require)\b/.test(line)).join('\n'),
    )
    const imports = [...text.join('\n').matchAll(IMPORTED)].flatMap(
      ([, one = '', two = '']) => `${one} ${two}`.match(/\w+/g) ?? [],
    )
    const isImported = (all: string): boolean => imports.some((name) => new RegExp(String.raw`\b${name}\b`).test(all))
    const telling = added
      .replaceAll(ABOUT_CONSTANTS, '')
      .replaceAll(ABOUT_EXISTENCE, (all) => (isImported(all.replace(/\bassert\b|\bexpect\b/, '')) ? '' : all))
    if (ASSERTION.test(telling)) return true
  }
  return false
}

/** What a test imports, by name. */
const IMPORTED = /\bimport\s+([^'"\n]*?)\s+from\b|^[ \t]*from\s+[\w.]+\s+import\s+([^\n]+)/gm
/** `assert.ok(median)`, `assert.equal(typeof median, 'function')`, `expect(median).toBeDefined()`, `assert callable(median)`: it is there. */
const ABOUT_EXISTENCE = new RegExp(
  [
    String.raw`\bassert(?:\.ok)?\(\s*(\w+)\s*\)`,
    String.raw`\bassert\.\w*[eE]qual\(\s*typeof\s+(\w+)\s*,\s*['"]function['"]\s*\)`,
    String.raw`\bexpect\(\s*(?:typeof\s+)?(\w+)\s*\)\.(?:toBeDefined\(\)|toBeTruthy\(\)|not\.toBeUndefined\(\)|toBe\(['"]function['"]\))`,
    String.raw`^[ \t]*assert\s+(?:callable\(\s*)?(\w+)\s*\)?(?:\s+is\s+not\s+None)?[ \t]*$`,
  ].join('|'),
  'gm',
)

const SKIPPED = /\b(?:skip\w*|todo|xfail|x(?:it|test|describe)|expectedFailure)\b/
const ASSERTION =
  /assert|expect|should|must|verify|check|equal|same|throw|raise|reject|match|fail|snapshot|\b(?:is|ok|eq)\(|\bt\.\w+\(/i
const CONSTANT = String.raw`(?:true|false|null|undefined|True|False|None|-?\d[\d.]*|'[^']*'|"[^"]*")`
/** `assert.ok(true)`, `expect(1).toBe(1)`, `assert True`. */
const ABOUT_CONSTANTS = new RegExp(
  String.raw`\b(?:self\.)?assert(?:[.\w]*\(\s*${CONSTANT}(?:\s*,\s*${CONSTANT})*\s*\)|\s+(?:not\s+)?${CONSTANT}(?:\s*==\s*${CONSTANT})?\s*$)|\bexpect\(\s*${CONSTANT}\s*\)[.\w]*\((?:\s*${CONSTANT}\s*)?\)`,
  'gm',
)

/** Makefiles that build more of the code than before and check it in the same way. */
async function grownMakefiles(
  changes: readonly Change[],
  start: SnapshotFiles,
  present: SnapshotFiles,
): Promise<ReadonlySet<string>> {
  const grown = new Set<string>()
  for (const { path, before, now } of changes) {
    if (!before || now?.kind !== before.kind || !/(?:^|\/)(?:GNU)?[mM]akefile$|\.mk$/.test(path)) continue
    const [old, text] = [(await textIn(start, path)) ?? '', (await textIn(present, path)) ?? '']
    if (isGrownMakefile(old, text, { old: [...start.files.keys()], now: [...present.files.keys()] })) grown.add(path)
  }
  return grown
}

/** A manifest that became a link can't be split by key, so the old one counts as a whole. So do compiler settings that are new or gone. */
function isUnsplit({ path, before, now }: Change): boolean {
  return now?.kind === 'link' || (isCompilerSettings(path) && !(before && now))
}

function withRemoved({ remove, write }: RoomChanges, paths: readonly string[]): RoomChanges {
  return { remove: [...remove, ...paths], write }
}

function partition<T>(all: readonly T[], isFirst: (each: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(isFirst), all.filter((each) => !isFirst(each))]
}

export interface Change {
  readonly path: string
  readonly before?: SnapshotFile
  readonly now?: SnapshotFile
}

/** The files that differ between two trees. */
export function changesBetween(start: SnapshotFiles, present: SnapshotFiles): readonly Change[] {
  const known = compared.get(start)
  if (known?.present === present) return known.changes
  const changes: Change[] = []
  for (const [path, now] of present.files) {
    const before = start.files.get(path)
    if (before === undefined) changes.push({ path, now })
    else if (before.id !== now.id || before.kind !== now.kind) changes.push({ path, before, now })
  }
  for (const [path, before] of start.files) if (!present.files.has(path)) changes.push({ path, before })
  compared.set(start, { present, changes })
  return changes
}

/** A proof compares the same two trees several times. */
const compared = new WeakMap<SnapshotFiles, { readonly present: SnapshotFiles; readonly changes: readonly Change[] }>()

/** What to do to the present tree so that these paths are as they were at the start. */
async function changesTo(start: SnapshotFiles, changes: readonly Change[]): Promise<RoomChanges> {
  const write: RoomFile[] = []
  for (const { path, before } of changes)
    if (before) write.push({ path, kind: before.kind, content: (await start.read(path)) ?? Buffer.alloc(0) })
  return { remove: changes.filter(({ before }) => !before).map(({ path }) => path), write }
}

/** A file's text before and after. */
export interface Texts {
  readonly before?: string
  readonly now?: string
}

/** The texts of changed code, of files that were there at the start first; what is very large is left out. */
async function textsOf(
  code: readonly Change[],
  start: SnapshotFiles,
  present: SnapshotFiles,
): Promise<ReadonlyMap<string, Texts>> {
  const texts = new Map<string, Texts>()
  const ordered = code.toSorted((left, right) => Number(right.before !== undefined) - Number(left.before !== undefined))
  for (const { path, before, now } of ordered.slice(0, TEXTS_MAX)) {
    const [old, text] = [before && (await textIn(start, path)), now && (await textIn(present, path))]
    texts.set(path, { ...(old === undefined ? {} : { before: old }), ...(text === undefined ? {} : { now: text }) })
  }
  return texts
}

const TEXTS_MAX = 2000
const TEXT_BYTES_MAX = 16 * 1024 * 1024

async function textIn(files: SnapshotFiles, path: string): Promise<string | undefined> {
  const content = await files.read(path)
  return content === undefined || content.length > TEXT_BYTES_MAX ? undefined : content.toString('utf8')
}

function namesIn(code: readonly Change[], texts: ReadonlyMap<string, Texts>): SourceNames {
  const all = [...texts.values()]
  const goneFiles = code.filter(({ now }) => !now).map(({ path }) => path)
  const addedFiles = code.filter(({ before }) => !before).map(({ path }) => path)
  return sourceNames(
    { texts: all.map(({ before = '' }) => before), files: goneFiles },
    { texts: all.map(({ now = '' }) => now), files: addedFiles },
  )
}

/** An old test as it is run on the present code. `now` is the present one, or all that are new if it is gone. */
function testInNewNames(file: RoomFile, now: string, names: SourceNames): RoomFile {
  if (/(?:^|\/)(?:\.?pytest|tox)\.ini$/.test(file.path))
    return { ...file, content: Buffer.from(withSourceFolder(file.content.toString('utf8'), now)) }
  if (file.kind === 'link' || file.content.includes(0) || !/\.(?:[cm]?[jt]sx?|py)$/.test(file.path)) return file
  const old = file.content.toString('utf8')
  const isRenamed = names.goneFiles.length > 0 || names.gone.size > 0
  const text = inNewModules(isRenamed ? inNewNames(file.path, old, now, names) : old, now)
  if (text === old) return file
  return { ...file, content: Buffer.from(text) }
}

/** Programs that a check compiled from tests: each room makes its own. */
async function compiledIn(tests: readonly Change[], present: SnapshotFiles): Promise<readonly string[]> {
  const found = await Promise.all(
    tests.map(async ({ path, now }) => {
      const isProgram = now?.kind === 'executable' || /\.(?:o|obj|exe|class|out)$/.test(path)
      return isProgram && (await present.read(path))?.includes(0) ? [path] : []
    }),
  )
  return found.flat()
}

/** Tests that moved, or in which only names changed that changed in the code too. */
async function sameTests(
  tests: readonly Change[],
  start: SnapshotFiles,
  present: SnapshotFiles,
  names: SourceNames,
): Promise<{ readonly paths: ReadonlySet<string>; readonly renames: Renames }> {
  const paths = new Set<string>()
  const renames = new Map<string, string>()
  const added = tests.filter(({ before }) => !before)
  for (const { path, before, now } of tests) {
    if (!before) continue
    const old = await textIn(start, path)
    if (old === undefined) continue
    // A modified test is compared with itself, a removed one with every new one.
    for (const candidate of now ? [path] : added.map((each) => each.path).filter((each) => !paths.has(each))) {
      const text = await textIn(present, candidate)
      const found = text === undefined ? undefined : renamesBetween(old, text, names)
      if (!found || [...found].some(([was, is]) => (renames.get(was) ?? is) !== is)) continue
      for (const [was, is] of found) renames.set(was, is)
      paths.add(path).add(candidate)
      break
    }
  }
  return { paths, renames }
}

/** A file of the code that needs parts of its old self for the old tests: a manifest's settings, or tests in the middle of code. */
function oldInside(
  path: string,
  before: string | undefined,
  now: string | undefined,
): readonly { path: string; content: Buffer }[] {
  if (before === undefined || now === undefined) return []
  const text = isManifest(path) ? manifestForOldTests(path, before, now) : withOldBlocks(path, before, now)
  return text === undefined ? [] : [{ path, content: Buffer.from(text) }]
}

/**
 * Old code keeps the tests that are inside it now, and a manifest the settings that it has now. A new package keeps its manifest and a new
 * file the tests inside it, so that its tests are found, and fail for lack of what they test.
 */
function withNewBlocks({ remove, write }: RoomChanges, texts: ReadonlyMap<string, Texts>, present: SnapshotFiles): RoomChanges {
  const left = remove.flatMap((path) => {
    const text = testsInside(path, texts.get(path)?.now ?? '')
    return text === undefined ? [] : [{ path, kind: kindOf(present, path), content: Buffer.from(text) }]
  })
  const isLeft = new Set(left.map(({ path }) => path))
  const files = write.map((file) => {
    const { before, now } = texts.get(file.path) ?? {}
    const [inside] = oldInside(file.path, now, before)
    const old = (inside?.content ?? file.content).toString('utf8')
    const content = now === undefined ? undefined : withMembers(file.path, withModules(file.path, old, now, isLeft), now)
    return content === undefined || content === old ? { ...file, ...inside } : { ...file, content: Buffer.from(content) }
  })
  return {
    remove: remove.filter((path) => !isLeft.has(path) && !(isManifest(path) && !isCompilerSettings(path))),
    write: [...files, ...left],
  }
}

/** What a path is; a plain file if it is not there. */
export function kindOf({ files }: SnapshotFiles, path: string): SnapshotFile['kind'] {
  return files.get(path)?.kind ?? 'file'
}
