import { lstatSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { PROOF_NAMES_MAX, type Proof, type ProofFinding } from '../core/proof.ts'
import { type SnapshotFiles } from '../workspaces/workspace.ts'
import { withOldValues, withoutTestNames } from './code-variants.ts'
import { changesBetween, type Crossing, crossingOf, kindOf, PROSE, type RoomChanges } from './crossing.ts'
import { isRed, levelOf, recordedCell, type StartResult } from './judge-proof.ts'
import { removeOldRooms } from './room.ts'
import { withPersonEdits } from './person-edits.ts'
import { isManifest, LINTERS, sidesOf, type Sides } from './sides.ts'
import { isCodeFile } from '../core/measures/test-file.ts'
import { alterTests } from './altered-tests.ts'
import { changedIgnored, listsPackages, packagesInTree, toolsOfTests, unexplainedPackages } from './packages.ts'
import { testsInside, withOldBlocks } from './embedded-tests.ts'
import { withoutComments } from './same-test.ts'
import { answersIn, answersOfTests } from './special-cases.ts'
import { cell, heldOutIn, isRedAt, type ProofRequest, type ProvenCheck, suspiciousFinding, type Trial, tried } from './trial.ts'

/**
 * Tries the start's tests on the present code and, where the work changed tests, the present tests on both codes, each in a fresh copy.
 * Only as much as it takes: unchanged tests need one run.
 */
export async function prove(asked: ProofRequest): Promise<Proof> {
  const { present, trees, personEdits = [] } = asked
  await removeOldRooms(asked)
  const commands = [
    ...asked.checks.flatMap(({ command }) => command ?? []),
    ...(asked.prepareCommands ?? []),
    ...asked.reviewCommands,
  ]
  const paths = [...new Set([...asked.start.files.keys(), ...present.files.keys()])]
  const trusted = withPersonEdits(asked.start, personEdits, () => true)
  // What didn't change is read from the folder, which is quicker.
  const read = async (path: string): Promise<string | undefined> => {
    const [before, now] = [trusted.files.get(path), present.files.get(path)]
    const isSame = before?.id === now?.id && before?.kind === 'file'
    const content = isSame ? await readFile(join(asked.cwd, path)).catch(() => undefined) : await trusted.read(path)
    return content?.toString('utf8')
  }
  const changed = changesBetween(asked.start, present).map(({ path }) => path)
  const isLoaded = asked.checks.some(({ start: begun }) => begun?.counts && (begun.hidden ?? []).length === 0)
  const sides = await sidesOf({ paths, commands, globs: asked.tests, changed, isLoaded, read })
  const start = withPersonEdits(asked.start, personEdits, (path) => sides.isTest(path) || isManifest(path))
  // With other tests than those that ran before the work, what they said then proves nothing.
  const checks = start === asked.start ? asked.checks : asked.checks.map(({ start: _said, ...check }) => check)
  const request = { ...asked, start, checks }
  const crossing = await crossingOf({ start, present, sides, mayChange: request.mayChange })
  const watched = [...present.files.keys()].filter(
    (path) => sides.isTest(path) || asked.start.files.get(path)?.id !== present.files.get(path)?.id,
  )
  const times = new Map(watched.map((path) => [path, writeTime(asked.cwd, path)]))
  const trial = await tried(request, crossing, sides)
  // Files that didn't change can't be why a test passes now.
  const isSame = trees.start === trees.present
  const found = levelOf(trial.starts, trial.results, {
    ownChecks: new Set(checks.filter(({ isOwn }) => isOwn).map(({ name }) => name)),
    ...(request.written ? { isOfOthers: request.written.isOfOthers } : {}),
  })
  const { level, ...turned } = isSame || provesNothing(found.level, crossing, trial) ? NOTHING : found
  const byExitCode = checks
    .filter(({ name, inPlace }) => !inPlace.counts && !trial.starts.get(name)?.counts)
    .map(({ name }) => name)
  const red = [...trial.starts.values()].filter(isRed)
  const findings = [
    ...trial.findings,
    ...(await writtenFindings(request, sides)),
    ...reviewerFindings(request),
    ...(await packageFindings(request, sides, read)),
    ...suspicionsIn(crossing, {
      'early-exit': byExitCode.length > 0,
      'type-cast': red.length > 0 && red.every(({ problemFiles = [], counts }) => problemFiles.length > 0 && !counts),
    }),
    ...(await removedProblems(red, present)),
    ...(await specialCases({ ...request, sides }, crossing)),
  ]
  if (findings.length === 0 && level !== 'unproven') {
    findings.push(...(await unfailingTests({ ...request, sides }, crossing, trial, turned.turned)))
    findings.push(...(await needlessCauses({ ...request, sides }, crossing, trial, turned.turned)))
    findings.push(...(await uncheckedFiles({ ...request, sides }, crossing, trial)))
    findings.push(...(await passesWithoutWork({ ...request, sides }, crossing, trial)))
  }
  const written = [...times].filter(([path, time]) => time !== writeTime(asked.cwd, path)).map(([path]) => ({ path }))
  if (written.length > 0)
    findings.push({ code: 'changed-meanwhile', files: written.slice(0, PROOF_NAMES_MAX), count: written.length })
  const heldOut = findings.length === 0 ? await heldOutIn(request, crossing.presentTree, true) : undefined
  const known = { level, ...turned, ...(byExitCode.length > 0 ? { byExitCode } : {}) }
  if (heldOut === 'unable' || heldOut === 'failed') findings.push({ code: 'held-out-fails', count: 1 })
  // A test that the agent never saw tells the difference.
  const isWeak = heldOut === 'passed' && !isSame && level !== 'red-to-green'
  const isRedBefore = isWeak && (await heldOutIn(request, crossing.asAtStart, false)) === 'failed'
  const redByHeldOut = { level: 'red-to-green', turned: ['held-out'], byExitCode: [...byExitCode, 'held-out'] } as const
  return {
    start: trees.start,
    tree: trees.present,
    cells: trial.results.map(recordedCell),
    ...(isRedBefore ? redByHeldOut : known),
    changedTests: crossing.changedTests.slice(0, PROOF_NAMES_MAX),
    changedTestsCount: crossing.changedTests.length,
    ...(crossing.isOnlyTests ? { isOnlyTests: true as const } : {}),
    findings,
    ...(heldOut === undefined ? {} : { heldOut: heldOut === 'passed' ? 'passed' : 'failed' }),
  }
}

/** The tests that tell the difference, in the tree in which they do. */
interface TellingTests {
  readonly base: RoomChanges
  readonly checks: readonly ProvenCheck[]
  /** The texts of the test files in it. */
  readonly texts: ReadonlyMap<string, string>
  /** Set if only the agent's own tests tell it. */
  readonly isOwn: boolean
}

async function tellingTests(
  { present, cwd, checks, sides }: ProofRequest & { readonly sides: Sides },
  { changedTests, oldTests, presentTree }: Crossing,
  { starts, results }: Trial,
): Promise<TellingTests> {
  const isOwn = results.some(({ cell: name }) => name === 'new-tests-old-code')
  const base = isOwn || changedTests.length === 0 ? presentTree : oldTests
  // Compilers and linters don't run what tests expect.
  const chosen = checks.filter(({ name, command, room = true }) => {
    const start = starts.get(name)
    return (
      command !== undefined &&
      room &&
      (start?.counts || (start?.problemFiles ?? []).length === 0) &&
      (isOwn || isRedAt(starts, name))
    )
  })
  const written = new Map(base.write.map(({ path, content }) => [path, content]))
  const removed = new Set(base.remove)
  const paths = new Set(
    [...written.keys(), ...present.files.keys()].filter(
      (path) => (sides.isTest(path) || path.endsWith('.rs')) && !removed.has(path),
    ),
  )
  const texts = new Map<string, string>()
  for (const path of [...paths].filter(isAlterable).slice(0, ALTERED_FILES_MAX)) {
    const content = written.get(path) ?? (await readFile(join(cwd, path)).catch(() => undefined))
    if (content) texts.set(path, content.toString('utf8'))
  }
  return { base, checks: chosen, texts, isOwn }
}

/**
 * Tests that turned green for something that has nothing to do with the work: another value to compare with, or code that asks whether a
 * test runs. Without it they have to pass, too.
 */
async function needlessCauses(
  request: ProofRequest & { readonly sides: Sides },
  crossing: Crossing,
  trial: Trial,
  turned: readonly string[],
): Promise<readonly ProofFinding[]> {
  const variants = [
    { code: 'compared-value-changed', of: withOldValues },
    { code: 'knows-its-tests', of: withoutTestNames },
  ] as const
  const findings: ProofFinding[] = []
  let known: TellingTests | undefined
  for (const { code, of } of variants) {
    // Most work has neither, and then no test is read.
    if (of(crossing.texts).size === 0) continue
    known ??= await tellingTests(request, crossing, trial)
    const { base, checks, texts, isOwn } = known
    // Whoever writes a test says what it compares with.
    if (isOwn && code === 'compared-value-changed') continue
    const files = [...of(crossing.texts, texts)].map(([path, text]) => ({
      path,
      kind: kindOf(request.present, path),
      content: Buffer.from(text),
    }))
    if (files.length === 0) continue
    const paths = new Set(files.map(({ path }) => path))
    const write = [...base.write.filter(({ path }) => !paths.has(path)), ...files]
    const ends = await cell(request, 'altered-tests-new-code', { remove: base.remove, write }, checks)
    const failing = ends.flatMap(({ status, failures }) => (status === 'failed' ? failures.map(({ id }) => id) : []))
    const tests = failing.filter((id) => turned.includes(id))
    if (tests.length > 0)
      findings.push({
        code,
        check: ends.find(({ status }) => status === 'failed')?.check ?? '',
        tests: tests.slice(0, PROOF_NAMES_MAX),
        files: [...paths].slice(0, PROOF_NAMES_MAX).map((path) => ({ path })),
        count: tests.length,
      })
  }
  return findings
}

/** Sees the tests that tell the difference fail where they expect other values: what passes all the same checks nothing. */
async function unfailingTests(
  request: ProofRequest & { readonly sides: Sides },
  crossing: Crossing,
  trial: Trial,
  turned: readonly string[],
): Promise<readonly ProofFinding[]> {
  const { present, sides } = request
  const { base, checks: chosen, texts } = await tellingTests(request, crossing, trial)
  // A runner whose report nobody reads runs all tests.
  const isRunner = sides.lines.some((line) => RUNNERS.test(line))
  const isRun = (path: string): boolean =>
    sides.reasonFor(path) === (isRunner ? 'test' : 'script') ||
    (sides.reasonFor(path) === 'test' && sides.lines.some((line) => isNamedIn(line, path)))
  const scripts = new Set([...texts.keys()].filter(isRun))
  const code = [...crossing.texts.values()].map(({ now = '' }) => now).join('\n')
  const altered = alterTests(turned, texts, { checks: new Set(chosen.map(({ name }) => name)), scripts, code })
  if (altered.files.size === 0 || !(crossing.isFarReaching || altered.isIndirect)) return []
  const files = [...altered.files].map(([path, text]) => ({ path, kind: kindOf(present, path), content: Buffer.from(text) }))
  const changes = { remove: base.remove, write: [...base.write.filter(({ path }) => !altered.files.has(path)), ...files] }
  const ends = await cell(request, 'altered-tests-new-code', changes, chosen)
  const passing = new Set(
    ends.flatMap(({ tests = [] }) => tests.flatMap(({ id, outcome }) => (outcome === 'passed' ? [id] : []))),
  )
  const ids = altered.ids.filter((id) => passing.has(id))
  const isUnmoved = ends.length > 0 && ends.every(({ status }) => status === 'passed')
  if (ids.length === 0 && !isUnmoved) return []
  const tests = ids.length > 0 ? { tests: ids.slice(0, PROOF_NAMES_MAX), count: ids.length } : { count: 1 }
  return [{ code: 'tests-cannot-fail', check: ends[0]?.check ?? '', ...tests }]
}

/** Whether a command names a file, what is built from it (`test_sums.o`, `SumsTest`), or a pattern that it matches (`test/*.java`). */
function isNamedIn(line: string, path: string): boolean {
  const stem = posix.basename(path).replace(/\.\w+$/, '')
  const words = line.split(/[\s;&|()"'`=]+/)
  return words.some(
    (word) => posix.basename(word).replace(/\.\w+$/, '') === stem || (word.includes('*') && posix.matchesGlob(path, word)),
  )
}

const ALTERED_FILES_MAX = 1000
const RUNNERS =
  /\b(?:(?:go|cargo) test|uvu|tape|tap|ava|zora|qunit|jasmine|lab|bats|prove|pytest|unittest|jest|mocha|vitest)\b|\s--test\b/

/** Code, data or an ignored file that has the tests' own inputs and results written out. */
async function specialCases(
  { cwd, packages = { before: '', now: '' }, present, sides }: ProofRequest & { readonly sides: Sides },
  { texts }: Crossing,
): Promise<readonly ProofFinding[]> {
  const found = [...texts].map(([path, { before = '', now = '' }]) => ({
    path,
    answers: answersIn(before, withOldBlocks(path, '', now) ?? now),
  }))
  for (const path of changedIgnored(packages.before, packages.now)) {
    const text = await readFile(join(cwd, path), 'utf8').catch(() => '')
    found.push({ path, answers: answersIn('', text) })
  }
  const answering = found.filter(({ path, answers }) => answers.length > 0 && !PROSE.test(path) && !listsPackages(path))
  if (answering.length === 0) return []
  const paths = [...present.files.keys()].filter((path) => sides.isTest(path) && isCodeFile(path)).slice(0, ALTERED_FILES_MAX)
  const tests = await Promise.all(paths.map((path) => readFile(join(cwd, path), 'utf8').catch(() => '')))
  const inside = [...texts].map(([path, { now = '' }]) => testsInside(path, now) ?? '')
  const lines = answering.flatMap(({ path, answers }) =>
    answersOfTests(answers, [...tests, ...inside]).map((text) => ({ kind: 'check-patched' as const, file: path, text })),
  )
  return lines.length === 0 ? [] : [suspiciousFinding(lines)]
}

/** When a file was written to, as nobody can set it: one that was changed and put back has another time. */
function writeTime(cwd: string, path: string): number | undefined {
  return lstatSync(join(cwd, path), { throwIfNoEntry: false })?.ctimeMs
}

/** Files with problems that moved, or whose tool has other settings: a tool that looks at them has to see that they are broken. */
async function uncheckedFiles(
  request: ProofRequest & { readonly sides: Sides },
  { changedTests, oldTests, presentTree }: Crossing,
  { starts }: Trial,
): Promise<readonly ProofFinding[]> {
  const { start, present, checks, sides } = request
  const isLinted = sides.lines.some((line) => LINTERS.test(line))
  const hasOtherSettings = changesBetween(start, present).some(({ path }) => isManifest(path) || changedTests.includes(path))
  const base = changedTests.length === 0 ? presentTree : oldTests
  const findings: ProofFinding[] = []
  for (const check of checks) {
    const { problemFiles = [], counts } = starts.get(check.name) ?? {}
    if (counts || check.command === undefined || check.room === false) continue
    // A linter whose report nobody reads may have complained about any file that is gone.
    const suspects =
      problemFiles.length > 0 || !isLinted ? problemFiles : [...start.files.keys()].filter((path) => !present.files.has(path))
    const code = [...new Set(suspects)].filter((path) => start.files.has(path) && isCodeFile(path))
    const moved = code.filter((path) => !present.files.has(path))
    const names = new Set(moved.map((path) => posix.basename(path)))
    const paths = [
      ...(hasOtherSettings ? code.filter((path) => present.files.has(path)) : []),
      ...[...present.files.keys()].filter((path) => !start.files.has(path) && names.has(posix.basename(path))),
    ]
    if (paths.length === 0) continue
    const broken = paths.map((path) => ({ path, kind: kindOf(present, path), content: Buffer.from('((( ]\n') }))
    const write = [...base.write.filter(({ path }) => !paths.includes(path)), ...broken]
    const [end] = await cell(request, 'altered-tests-new-code', { remove: base.remove, write }, [check])
    const files = paths.slice(0, PROOF_NAMES_MAX).map((path) => ({ path }))
    if (end?.status === 'passed') findings.push({ code: 'files-not-checked', check: check.name, files, count: paths.length })
  }
  return findings
}

/** Ignored files are the present ones in every room: if the code of the start passes with them, they are why. */
async function passesWithoutWork(
  request: ProofRequest & { readonly sides: Sides },
  { asAtStart }: Crossing,
  { starts, results }: Trial,
): Promise<readonly ProofFinding[]> {
  const { packages = { before: '', now: '' }, checks } = request
  const changed = changedIgnored(packages.before, packages.now)
  if (changed.length === 0) return []
  const isTried = (name: string): boolean =>
    results.some(({ cell: each, check }) => each === 'old-tests-old-code' && check === name)
  const red = checks.filter(
    ({ name, command, room = true }) => command !== undefined && room && isRedAt(starts, name) && !isTried(name),
  )
  const ends = await cell(request, 'old-tests-old-code', asAtStart, red)
  const files = changed.slice(0, PROOF_NAMES_MAX).map((path) => ({ path }))
  return ends.flatMap(({ check, status }) =>
    status === 'passed' ? [{ code: 'passes-without-work', check, files, count: changed.length } as const] : [],
  )
}

function isAlterable(path: string): boolean {
  return /\.(?:[cm]?[jt]sx?|py|rs|rb|t|pl|sh|bash|bats|c|cc|cpp|cxx|m|java|kt|go|cs|swift|scala|php)$|(?:^|\/)(?:GNU)?[mM]akefile$/.test(
    path,
  )
}

const NOTHING = { level: 'unproven', turned: [] } as const

/** Tests that were written before the work have to be as they were then. */
async function writtenFindings(
  { written, start, present, mayChange }: ProofRequest,
  sides: Sides,
): Promise<readonly ProofFinding[]> {
  if (!written) return []
  const { files } = written
  const paths: string[] = []
  for (const [path, { id }] of files.files) {
    if (start.files.get(path)?.id === id || present.files.get(path)?.id === id || mayChange(path)) continue
    const isChanged = sides.isTest(path) || (await hasOtherTestsInside(path, files, present))
    if (isChanged) paths.push(path)
  }
  const named = paths.slice(0, PROOF_NAMES_MAX).map((path) => ({ path }))
  return paths.length === 0 ? [] : [{ code: 'written-tests-changed', files: named, count: paths.length }]
}

async function hasOtherTestsInside(path: string, before: SnapshotFiles, now: SnapshotFiles): Promise<boolean> {
  const [old, text] = [await before.read(path), await now.read(path)]
  return old !== undefined && withOldBlocks(path, old.toString('utf8'), text?.toString('utf8') ?? '') !== undefined
}

/** Comments turn no test green, and tests of the agent's own that assert nothing tell no difference. */
function provesNothing(level: Proof['level'], { substance, asserts }: Crossing, { starts, results }: Trial): boolean {
  // Unless the tests look at the comments, and so they failed again without them.
  const isRedAgain = results.some((each) => each.cell === 'old-tests-old-code' && each.status === 'failed')
  if (level === 'red-to-green')
    return substance === 'comments' && !isRedAgain && [...starts.values()].some((start) => isRed(start) && start.counts)
  const isAboutTests = [...starts.values()].some((start) => start.lacksCoverage)
  const onOldCode = results.filter((each) => each.cell === 'new-tests-old-code')
  // A linter's new rule asserts something by what it finds in the old code.
  const hasFound = onOldCode.some(({ failures }) => failures.some(({ kind, file }) => kind === 'lint' && file !== undefined))
  return onOldCode.length > 0 && ((substance !== 'code' && !isAboutTests) || !(asserts || hasFound))
}

/** Files with problems that were deleted or emptied instead of fixed: neither a compiler nor a linter complains about those. */
async function removedProblems(red: readonly StartResult[], present: SnapshotFiles): Promise<readonly ProofFinding[]> {
  const names = new Set([...present.files.keys()].map((path) => posix.basename(path)))
  const files: { path: string; text: string }[] = []
  for (const path of new Set(red.flatMap(({ problemFiles = [] }) => problemFiles))) {
    const text = (await present.read(path))?.toString('utf8')
    if (text === undefined ? !names.has(posix.basename(path)) : /^\s*(?:export\s*\{\s*\};?\s*)?$/.test(text))
      files.push({ path, text: 'removed' })
  }
  return files.length === 0 ? [] : [{ code: 'suspicious-code', files: files.slice(0, PROOF_NAMES_MAX), count: files.length }]
}

async function packageFindings(
  { packages, start, present }: ProofRequest,
  sides: Sides,
  read: (path: string) => Promise<string | undefined>,
): Promise<readonly ProofFinding[]> {
  const inTree = packagesInTree(changesBetween(start, present))
  const [before, now] = [`${packages?.before ?? ''}\n${inTree.before}`, `${packages?.now ?? ''}\n${inTree.now}`]
  if (!packages || before.trim() === now.trim()) return []
  const paths = await unexplainedPackages(
    before,
    now,
    { start, present },
    await toolsOfTests([...start.files.keys()], sides, read),
  )
  if (paths.length === 0) return []
  const files = paths.slice(0, PROOF_NAMES_MAX).map((path) => ({ path }))
  return [{ code: 'dependencies-changed', files, count: paths.length }]
}

/** A verdict of a reviewer whose script the work changed is the agent's own. */
function reviewerFindings({ reviewCommands, cwd, start, present, mayChange }: ProofRequest): readonly ProofFinding[] {
  const programs = reviewCommands.flatMap((line) => line.split(/[;&|()\n`]+/).map(programIn))
  const paths = new Set(programs.map((path) => posix.normalize(path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path)))
  const changed = [...paths].filter(
    (path) => start.files.has(path) && start.files.get(path)?.id !== present.files.get(path)?.id && !mayChange(path),
  )
  const files = changed.slice(0, PROOF_NAMES_MAX).map((path) => ({ path }))
  return changed.length === 0 ? [] : [{ code: 'reviewer-changed', files, count: changed.length }]
}

/** What a command runs, behind interpreters, their flags and variables: `review.mjs` of `CI=1 node --no-warnings review.mjs src/add.js`. */
function programIn(command: string): string {
  const words = command.split(/[\s"']+/).filter((word) => word !== '')
  return words.find((word) => !/^(?:-.*|\w+=.*)$/.test(word) && !INTERPRETERS.test(posix.basename(word))) ?? ''
}

const INTERPRETERS =
  /^(?:env|exec|time|nice|sudo|npx|npm|pnpm|yarn|bunx?|deno|uvx?|poetry|pipenv|run|dlx|tsx|ts-node|node|sh|bash|zsh|dash|python[\d.]*|ruby|perl|php)$/

/** Grouped, so that one question tells them all. */
function suspicionsIn(
  { suspicious }: Crossing,
  matters: Readonly<Record<'early-exit' | 'type-cast', boolean>>,
): readonly ProofFinding[] {
  const told = suspicious.filter(({ kind }) => (kind === 'early-exit' || kind === 'type-cast' ? matters[kind] : true))
  return told.length === 0 ? [] : [suspiciousFinding(told)]
}

export interface ChangedFilesRequest {
  readonly before: SnapshotFiles
  readonly now: SnapshotFiles
  readonly commands: readonly string[]
  readonly globs: readonly string[]
}

/** The files that changed: those of the tests, and other code. Manifests, lock files and what tools leave behind are neither. */
export async function changedFiles({
  before,
  now,
  commands,
  globs,
}: ChangedFilesRequest): Promise<{ readonly tests: readonly string[]; readonly others: readonly string[] }> {
  const paths = [...new Set([...before.files.keys(), ...now.files.keys()])]
  const read = async (path: string): Promise<string | undefined> => (await before.read(path))?.toString('utf8')
  const sides = await sidesOf({ paths, commands, globs, read })
  const tests: string[] = []
  const others: string[] = []
  for (const path of paths) {
    const isNew = !before.files.has(path)
    if (before.files.get(path)?.id === now.files.get(path)?.id) continue
    if (sides.isTest(path) || (await isOnlyInside(path, before, now))) tests.push(path)
    else if (!listsPackages(path) && (!isNew || isCodeFile(path))) others.push(path)
  }
  return { tests, others }
}

/** An example with what it should print, up to an empty line or the end of the docstring. */
const DOCTEST = /^[ \t]*>>>[^]*?(?=^[ \t]*$|"""|''')/gm

/** Whether all that changed in a file are the tests inside it. */
async function isOnlyInside(path: string, before: SnapshotFiles, now: SnapshotFiles): Promise<boolean> {
  const [old, text] = [(await before.read(path))?.toString('utf8'), (await now.read(path))?.toString('utf8')]
  if (old === undefined || text === undefined) return false
  const codeIn = (file: string): string =>
    withoutComments((withOldBlocks(path, '', file) ?? file).replaceAll(DOCTEST, '')).replaceAll(/\s+/g, '')
  return codeIn(old) === codeIn(text)
}
