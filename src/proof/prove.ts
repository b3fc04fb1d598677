import type { Failure } from '../core/failure.ts'
import { PROOF_NAMES_MAX, type CellName, type Proof, type ProofFinding } from '../core/proof.ts'
import type { SnapshotFiles } from '../workspaces/workspace.ts'
import { readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { changesBetween, type Crossing, crossingOf, type RoomChanges } from './crossing.ts'
import {
  type CellResult,
  failedFinding,
  findingsOf,
  findsNoTests,
  isRed,
  isRoomFit,
  levelOf,
  recordedCell,
  type StartResult,
  withoutAllowed,
} from './judge-proof.ts'
import { listsPackages, packagesInTree, toolsOfTests, unexplainedPackages } from './packages.ts'
import { changedInRoom, openRoom, removeOldRooms, type Room } from './room.ts'
import { withOldBlocks } from './embedded-tests.ts'
import { type PersonEdit, withPersonEdits } from './person-edits.ts'
import { isManifest, sidesOf, type Sides } from './sides.ts'
import { isCodeFile } from '../core/measures/test-file.ts'

/** A check as a proof sees it. */
export interface ProvenCheck {
  readonly name: string
  /** Its command as a shell would read it; absent for a check that runs none. */
  readonly command?: string
  /** Whether it may run in a room. Default true; one that runs no command never does. */
  readonly room?: boolean
  /** How it stood when the unit of work began; absent if it wasn't run then. */
  readonly start?: StartResult
  /** How it ended in the workspace, on the present tree. */
  readonly inPlace: CellResult
  /** Set if the agent set it itself. */
  readonly isOwn?: true
  /** Set if it runs only once all others passed. */
  readonly isLate?: true
}

export interface ProofRequest {
  readonly run: string
  readonly cwd: string
  readonly trees: { readonly start: string; readonly present: string }
  readonly start: SnapshotFiles
  readonly present: SnapshotFiles
  readonly checks: readonly ProvenCheck[]
  /** Commands of `prepare`, and of reviewers: their scripts are on the test side too. */
  readonly prepareCommands?: readonly string[]
  readonly reviewCommands: readonly string[]
  /** Globs of the user's for the test side. */
  readonly tests: readonly string[]
  /** What was installed when the run began, and what is now, as `packagesIn` lists them. */
  readonly packages?: { readonly before: string; readonly now: string }
  /** Tests that were written for the work: the files with them, and whether a failure is of one of them that somebody else wrote. */
  readonly written?: { readonly files: SnapshotFiles; isOfOthers(check: string, failure: Failure): boolean }
  /** What people changed since the unit of work began: it amends the start's tests. */
  readonly personEdits?: readonly PersonEdit[]
  mayChange(path: string): boolean
  leftOut(): Promise<readonly string[]>
  /** Makes a room ready for checks; returns what stands in the way. Throws if it was interrupted. */
  prepare?(cell: CellName, room: Room): Promise<PrepareFailure | 'unmounted' | undefined>
  /** A check that the agent does not see. */
  readonly heldOut?: HeldOutTrial
  /** Runs a check in a room. */
  runCheck(name: string, cell: CellName, room: Room): Promise<CellResult>
}

/** Files that are laid over a room, and what is run there. */
export interface HeldOutTrial {
  readonly files: RoomChanges['write']
  /** `unable`: the command lacks something. */
  run(room: Room, isPresent: boolean): Promise<'passed' | 'failed' | 'unable' | 'aborted'>
}

/** The proof was interrupted: it says nothing. */
export class Interrupted extends Error {}

/** A command of `prepare` that failed. */
export interface PrepareFailure {
  readonly data: { readonly command: string; readonly message: string }
}

/** A fresh copy of the present files could not be made ready, so nothing can be proven. */
export class Unprepared extends Error {
  readonly failure: PrepareFailure

  constructor(failure: PrepareFailure) {
    super(failure.data.message)
    this.failure = failure
  }
}

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
  const sides = await sidesOf({ paths, commands, globs: asked.tests, changed, read })
  const start = withPersonEdits(asked.start, personEdits, (path) => sides.isTest(path) || isManifest(path))
  // With other tests than those that ran before the work, what they said then proves nothing.
  const checks = start === asked.start ? asked.checks : asked.checks.map(({ start: _said, ...check }) => check)
  const request = { ...asked, start, checks }
  const crossing = await crossingOf({ start, present, sides, mayChange: request.mayChange })
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
  ]
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
    findings,
    ...(heldOut === undefined ? {} : { heldOut: heldOut === 'passed' ? 'passed' : 'failed' }),
  }
}

/** Runs the held-out check on a tree with its files laid over; nothing if there is none. */
async function heldOutIn(
  request: ProofRequest,
  { remove, write }: RoomChanges,
  isPresent: boolean,
  isCopy = false,
): Promise<'passed' | 'failed' | 'unable' | undefined> {
  const { run, cwd, present, leftOut, heldOut } = request
  if (!heldOut) return undefined
  const laid = new Set(heldOut.files.map(({ path }) => path))
  const changes = { remove, write: [...write.filter(({ path }) => !laid.has(path)), ...heldOut.files] }
  const room = await openRoom({ run, cwd, present, changes, leftOut, isCopy })
  try {
    const failure = await request.prepare?.('new-tests-new-code', room)
    if (failure === 'unmounted') return await heldOutIn(request, { remove, write }, isPresent, true)
    if (failure) {
      if (isPresent) throw new Unprepared(failure)
      return 'unable'
    }
    const end = await heldOut.run(room, isPresent)
    if (end === 'aborted') throw new Interrupted()
    if (!(await room.hasBegun())) return await heldOutIn(request, { remove, write }, isPresent, true)
    return end
  } finally {
    await room.close()
  }
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
  if (level === 'red-to-green')
    return substance === 'comments' && [...starts.values()].some((start) => isRed(start) && start.counts)
  return results.some((each) => each.cell === 'new-tests-old-code') && (substance !== 'code' || !asserts)
}

/** Files with problems that were deleted or emptied instead of mended: neither a compiler nor a linter complains about those. */
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

interface Trial {
  readonly starts: ReadonlyMap<string, StartResult>
  readonly results: readonly CellResult[]
  readonly findings: readonly ProofFinding[]
}

async function tried(request: ProofRequest, crossing: Crossing, sides: Sides): Promise<Trial> {
  const { checks } = request
  const inRoom = checks.filter(({ command, room = true }) => command !== undefined && room)
  const outside = checks.filter((check) => !inRoom.includes(check))
  const hasNewTests = crossing.changedTests.length > 0
  const starts = new Map(checks.flatMap(({ name, start }) => (start ? [[name, start] as const] : [])))
  const oldOnNew = await cell(
    { ...request, sides },
    'old-tests-new-code',
    hasNewTests ? crossing.oldTests : crossing.presentTree,
    inRoom,
  )
  // What cannot run in a room has only what it said in the workspace.
  const results: CellResult[] = [...oldOnNew, ...outside.map(({ inPlace }) => inPlace)]
  const doubtful = inRoom.filter(({ name, start, isLate }) => {
    const result = oldOnNew.find(({ check }) => check === name)
    // What runs before a success only had nothing to run for at the start, where another failed.
    const isWanted = !start && !(isLate && [...starts.values()].some(({ passed }) => !passed))
    return result !== undefined && (isWanted || result.status !== 'passed')
  })
  const atStart = [...(await cell(request, 'old-tests-old-code', crossing.asAtStart, doubtful))]
  // A check that looks at files itself can look at a copy of the start.
  const lookedAt = outside.filter(({ command, start }) => command === undefined && !start)
  atStart.push(...(await cell(request, 'old-tests-old-code', crossing.asAtStart, lookedAt, true)))
  results.push(...atStart)
  for (const result of atStart) if (!starts.has(result.check)) starts.set(result.check, startResult(result))
  const findings: ProofFinding[] = []
  for (const result of oldOnNew) {
    const touched = (result.touched ?? []).map((path) => ({ path }))
    if (result.status === 'passed' && touched.length > 0)
      findings.push({ code: 'changed-meanwhile', files: touched.slice(0, PROOF_NAMES_MAX), count: touched.length })
    const start = starts.get(result.check)
    const again = atStart.find(({ check }) => check === result.check)
    const known = checks.find(({ name }) => name === result.check)
    // Nothing to run then and nothing now: the new tests tell what the code does.
    if (start?.hasNoTests && findsNoTests(result.check, result)) continue
    if (result.status === 'passed')
      findings.push(...(start ? findingsOf(withoutAllowed(start, crossing.allowedTests), result, crossing.renames) : []))
    else if (result.status === 'errored' || (known?.start && again && !isRoomFit(known.start, again)))
      findings.push({ code: 'room-unfit', check: result.check, count: 1 })
    else findings.push(failedFinding(hasNewTests ? 'old-tests-fail' : 'fails-in-room', result))
  }
  const isProven = oldOnNew.some(({ check, status }) => status === 'passed' && isRedAt(starts, check))
  if (hasNewTests && findings.length === 0 && !isProven) {
    const newOnNew = await cell(request, 'new-tests-new-code', crossing.presentTree, inRoom)
    results.push(...newOnNew)
    const failed = newOnNew.filter(({ status }) => status !== 'passed')
    findings.push(...failed.map((result) => failedFinding('fails-in-room', result)))
    if (failed.length === 0) results.push(...(await cell(request, 'new-tests-old-code', crossing.oldCode, inRoom)))
  }
  return { starts, results, findings }
}

function isRedAt(starts: ReadonlyMap<string, StartResult>, check: string): boolean {
  const start = starts.get(check)
  return start !== undefined && isRed(start)
}

/** Runs checks one after another in one room; where the mount fails half-way, all of them in a copy. */
async function cell(
  request: ProofRequest & { readonly sides?: Sides },
  name: CellName,
  changes: RoomChanges,
  checks: readonly ProvenCheck[],
  isCopy = false,
): Promise<readonly CellResult[]> {
  if (checks.length === 0) return []
  const { run, cwd, present, leftOut, runCheck } = request
  const { isTest, lines = [] } = request.sides ?? {}
  const isBuilt = lines.some((line) => BUILDS.test(line))
  const room = await openRoom({ run, cwd, present, changes, leftOut, isCopy, isBuilt })
  // A formatter that runs as a check changes tests, too.
  const isWatched = lines.some((line) => FORMATS.test(line)) ? undefined : isTest
  try {
    const failure = checks.some(({ command }) => command !== undefined) ? await request.prepare?.(name, room) : undefined
    if (failure === 'unmounted') return await cell(request, name, changes, checks, true)
    if (failure) return await unprepared(request, failure, name, changes, checks)
    const filesChanged = async (): Promise<readonly string[]> =>
      isWatched ? changedInRoom(room, { cwd, present, changes }, isWatched) : []
    // What makes the room ready may write tests, too.
    const prepared = request.prepare ? await filesChanged() : []
    const results: CellResult[] = []
    for (const check of inTiers(checks)) {
      if (check.isLate && results.some(({ status }) => status !== 'passed')) continue
      const result = await runCheck(check.name, name, room)
      const touched = (await filesChanged()).filter((path) => !prepared.includes(path))
      results.push(touched.length > 0 ? { ...result, touched } : result)
      if (!(await room.hasBegun())) return await cell(request, name, changes, checks, true)
    }
    return results
  } finally {
    await room.close()
  }
}

/**
 * A copy that cannot be made ready, like the present files themselves, is nobody's fault. Where those can, it is the combination of tests
 * and code that cannot be built: that has failed. Of the start it says nothing.
 */
async function unprepared(
  request: ProofRequest,
  failure: PrepareFailure,
  cellName: CellName,
  changes: RoomChanges,
  checks: readonly ProvenCheck[],
): Promise<readonly CellResult[]> {
  const { run, cwd, present, leftOut } = request
  if (changes.isPresent) throw new Unprepared(failure)
  const room = await openRoom({ run, cwd, present, changes: { remove: [], write: [] }, leftOut })
  try {
    const again = await request.prepare?.('new-tests-new-code', room)
    if (again && again !== 'unmounted') throw new Unprepared(again)
  } finally {
    await room.close()
  }
  const status = cellName === 'old-tests-old-code' ? 'errored' : 'failed'
  const { command, message } = failure.data
  const failures = [{ id: command, kind: 'compile', message } as const]
  return checks.map(({ name }) => ({ cell: cellName, check: name, place: room.place, status, failures, durationMs: 0 }))
}

/** Tools that go by the times of files. */
const BUILDS = /\b(?:make|cargo|cmake|ninja|gradlew?|mvnw?|meson|scons)\b/
const FORMATS = /--(?:write|fix)\b|\b(?:fmt|format\w*|black|isort|gofmt|rustfmt)\b/

/** Those that run before a success only come last. */
function inTiers(checks: readonly ProvenCheck[]): readonly ProvenCheck[] {
  return checks.toSorted((one, other) => Number(one.isLate ?? false) - Number(other.isLate ?? false))
}

function startResult(result: CellResult): StartResult {
  const { check, status, counts, tests = [], failures } = result
  const failing = failures.map(({ id }) => id)
  const said = { ...(counts ? { counts } : {}), ...(findsNoTests(check, result) ? { hasNoTests: true as const } : {}) }
  return { passed: status === 'passed', ...said, tests, areAllNamed: tests.length > 0, failing }
}

/** Grouped, so that one question tells them all. */
function suspicionsIn(
  { suspicious }: Crossing,
  matters: Readonly<Record<'early-exit' | 'type-cast', boolean>>,
): readonly ProofFinding[] {
  const told = suspicious.filter(({ kind }) => (kind === 'early-exit' || kind === 'type-cast' ? matters[kind] : true))
  if (told.length === 0) return []
  const files = told.slice(0, PROOF_NAMES_MAX).map(({ file, text }) => ({ path: file, text: text.slice(0, TEXT_LENGTH_MAX) }))
  return [{ code: 'suspicious-code', files, count: told.length }]
}

const TEXT_LENGTH_MAX = 200

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

/** Whether all that changed in a file are the tests inside it. */
async function isOnlyInside(path: string, before: SnapshotFiles, now: SnapshotFiles): Promise<boolean> {
  const [old, text] = [(await before.read(path))?.toString('utf8'), (await now.read(path))?.toString('utf8')]
  if (old === undefined || text === undefined) return false
  const codeIn = (file: string): string => (withOldBlocks(path, '', file) ?? file).trimEnd()
  return codeIn(old) === codeIn(text)
}
