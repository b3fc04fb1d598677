import { type Failure } from '../core/failure.ts'
import { PROOF_NAMES_MAX, type CellName, type ProofFinding } from '../core/proof.ts'
import { type SnapshotFiles } from '../workspaces/workspace.ts'
import { type Crossing, type RoomChanges } from './crossing.ts'
import {
  type CellResult,
  failedFinding,
  findingsOf,
  findsNoTests,
  isRed,
  isRoomFit,
  lacksCoverage,
  type StartResult,
  testsNotRun,
  withoutAllowed,
} from './judge-proof.ts'
import { changedInRoom, openRoom, type Room, stampsIn } from './room.ts'
import { isCodeFile, isSnapshotFile } from '../core/measures/test-file.ts'
import { type PersonEdit } from './person-edits.ts'
import { type Sides } from './sides.ts'

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
  /** Set if every room must be a copy. */
  readonly isCopy?: boolean
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
  /** What is outside the workspace only since the work began: no room has it. */
  readonly hidden?: readonly string[]
  mayChange(path: string): boolean
  leftOut(): Promise<readonly string[]>
  /** Makes a room ready for checks; returns what is in the way. Throws if it was interrupted. */
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

export interface Trial {
  readonly starts: ReadonlyMap<string, StartResult>
  readonly results: readonly CellResult[]
  readonly findings: readonly ProofFinding[]
}

/** Runs the checks on as many combinations of tests and code as it takes. */
export async function tried(asked: ProofRequest, crossing: Crossing, sides: Sides): Promise<Trial> {
  const request = { ...asked, sides }
  const { checks } = request
  const inRoom = checks.filter(({ command, room = true }) => command !== undefined && room)
  const outside = checks.filter((check) => !inRoom.includes(check))
  const hasNewTests = crossing.changedTests.length > 0
  const starts = new Map(checks.flatMap(({ name, start }) => (start ? [[name, start] as const] : [])))
  const lint = new Set<ProvenCheck>()
  if (hasNewTests) for (const check of inRoom) if (await sides.isLint(check.command ?? '')) lint.add(check)
  const others = inRoom.filter((check) => !lint.has(check))
  const oldTests = hasNewTests ? crossing.oldTests : crossing.presentTree
  const oldOnNew = [
    ...(await cell(request, 'old-tests-new-code', oldTests, others)),
    ...(await cell(request, 'old-tests-new-code', crossing.oldSettings, [...lint])),
  ]
  // What cannot run in a room has only what it said in the workspace.
  const results: CellResult[] = [...oldOnNew, ...outside.map(({ inPlace }) => inPlace)]
  const doubtful = inRoom.filter(({ name, start, isLate }) => {
    const result = oldOnNew.find(({ check }) => check === name)
    // What runs before a success only had nothing to run for at the start, where another failed.
    const isWanted = !start && !(isLate && [...starts.values()].some(({ passed }) => !passed))
    // Prose and comments seldom turn anything green: more often the check is flaky, or goes by an ignored file.
    const isSurprising = crossing.substance !== 'code' && start !== undefined && isRed(start)
    // Tests that write to tests do so on the old code, too.
    const isRewritten = result?.rewritten !== undefined
    return result !== undefined && (isWanted || isSurprising || isRewritten || result.status !== 'passed')
  })
  const atStart = [...(await cell(request, 'old-tests-old-code', crossing.asAtStart, doubtful))]
  // A check that looks at files itself can look at a copy of the start.
  const lookedAt = outside.filter(({ command, start }) => command === undefined && !start)
  atStart.push(...(await cell(request, 'old-tests-old-code', crossing.asAtStart, lookedAt, true)))
  results.push(...atStart)
  for (const result of atStart)
    if (!starts.has(result.check) || (result.status === 'passed' && oldOnNew.some(isPassOf(result.check))))
      starts.set(result.check, startResult(result))
  const findings: ProofFinding[] = []
  for (const result of oldOnNew) {
    const again = atStart.find(({ check }) => check === result.check)
    const usual = new Set([...(again?.rewritten ?? []), ...(again?.touched ?? [])])
    const rewritten = (result.rewritten ?? []).filter((path) => !usual.has(path))
    const touched = [...(result.touched ?? []), ...rewritten].map((path) => ({ path }))
    if (result.status === 'passed' && touched.length > 0)
      findings.push({ code: 'changed-meanwhile', files: touched.slice(0, PROOF_NAMES_MAX), count: touched.length })
    const start = starts.get(result.check)
    const known = checks.find(({ name }) => name === result.check)
    // Nothing to run then and nothing now: the new tests tell what the code does.
    if (start?.hasNoTests && findsNoTests(result.check, result)) continue
    if (start?.lacksCoverage && isOnlyCoverage(start, result, crossing)) continue
    if (result.status === 'passed')
      findings.push(
        ...(start
          ? findingsOf(withoutAllowed(start, crossing.allowedTests), result, crossing.renames, crossing.canTestsMove)
          : []),
      )
    else if (result.status === 'errored' || (known?.start && again && !isRoomFit(known.start, again)))
      findings.push({ code: 'room-unfit', check: result.check, count: 1 })
    else findings.push(failedFinding(hasNewTests ? 'old-tests-fail' : 'fails-in-room', result))
  }
  const switchedOff = [...lint].some(({ name }) => isRedAt(starts, name)) ? crossing.suspiciousInTests : []
  if (switchedOff.length > 0) findings.push(suspiciousFinding(switchedOff))
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

function isPassOf(name: string): (result: CellResult) => boolean {
  return ({ check, status }) => check === name && status === 'passed'
}

/** Whether the old tests still pass and only reach too little, where nothing says otherwise how much is enough. */
function isOnlyCoverage(start: StartResult, result: CellResult, { oldSettings, presentTree, renames }: Crossing): boolean {
  const isSet = oldSettings.write.length > 0 || oldSettings.remove.length > presentTree.remove.length
  return !isSet && lacksCoverage(result.check, result) && testsNotRun(start, result, renames).count === 0
}

/** Whether a check was red at the start. */
export function isRedAt(starts: ReadonlyMap<string, StartResult>, check: string): boolean {
  const start = starts.get(check)
  return start !== undefined && isRed(start)
}

/** Runs checks one after another in one room; where the mount fails half-way, all of them in a copy. */
export async function cell(
  request: ProofRequest & { readonly sides: Sides },
  name: CellName,
  changes: RoomChanges,
  checks: readonly ProvenCheck[],
  isCopy = request.isCopy ?? false,
): Promise<readonly CellResult[]> {
  if (checks.length === 0) return []
  const { run, cwd, present, leftOut, runCheck, hidden = [] } = request
  const { isTest, lines, reasonFor } = request.sides
  const isBuilt = lines.some((line) => BUILDS.test(line))
  const room = await openRoom({ run, cwd, present, changes, leftOut, hidden, isCopy, isBuilt })
  // A formatter that runs as a check changes tests, too.
  const isCrossing = name === 'old-tests-new-code' || name === 'old-tests-old-code'
  const isWatched = isCrossing && !lines.some((line) => FORMATS.test(line)) ? isTest : undefined
  // Tests write to their data, and put it back.
  const decides = (path: string): boolean =>
    isTest(path) && !isSnapshotFile(path) && (isCodeFile(path) || reasonFor(path) !== 'test')
  const tree = { present, changes }
  const isThere = (path: string): boolean =>
    changes.write.some((file) => file.path === path) || (present.files.has(path) && !changes.remove.includes(path))
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
      const before = isWatched && (await stampsIn(room, tree, decides))
      const result = await runCheck(check.name, name, room)
      const touched = (await filesChanged()).filter((path) => !prepared.includes(path))
      const after = before ? await stampsIn(room, tree, decides) : new Map<string, string>()
      const rewritten = [...after].flatMap(([path, stamp]) =>
        isThere(path) && before?.get(path) !== stamp && !touched.includes(path) && !prepared.includes(path) ? [path] : [],
      )
      results.push({ ...result, ...(touched.length > 0 ? { touched } : {}), ...(rewritten.length > 0 ? { rewritten } : {}) })
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
  const { run, cwd, present, leftOut, isCopy = false } = request
  if (changes.isPresent) throw new Unprepared(failure)
  const room = await openRoom({ run, cwd, present, changes: { remove: [], write: [] }, leftOut, isCopy })
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
  const said = {
    ...(counts ? { counts } : {}),
    ...(findsNoTests(check, result) ? { hasNoTests: true as const } : {}),
    ...(lacksCoverage(check, result) ? { lacksCoverage: true as const } : {}),
  }
  return { passed: status === 'passed', ...said, tests, areAllNamed: tests.length > 0, failing }
}

/** Runs the held-out check on a tree with its files laid over; nothing if there is none. */
export async function heldOutIn(
  request: ProofRequest,
  { remove, write }: RoomChanges,
  isPresent: boolean,
  isCopy = request.isCopy ?? false,
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

/** Lines of code that are asked about, as one finding. */
export function suspiciousFinding(lines: Crossing['suspicious']): ProofFinding {
  const files = lines.slice(0, PROOF_NAMES_MAX).map(({ file, text }) => ({ path: file, text: text.slice(0, TEXT_LENGTH_MAX) }))
  return { code: 'suspicious-code', files, count: lines.length }
}

const TEXT_LENGTH_MAX = 200
