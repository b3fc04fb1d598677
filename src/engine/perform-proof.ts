import { isCodeFile } from '../core/measures/test-file.ts'
import type { EffectOf } from '../core/effect.ts'
import type { Author, Fact } from '../core/event.ts'
import { hidesTests } from '../core/measures/test-changes.ts'
import { type CellName, type Proof, PROOF_NAMES_MAX, type WrittenTests } from '../core/proof.ts'
import { isBeforeSuccess, type PartSpec, type ProofConfig } from '../core/run-config.ts'
import type { CheckRecord, State } from '../core/state.ts'
import type { CheckResult } from '../checks/check.ts'
import { type CellResult, findsNoTests, lacksCoverage, type StartResult, turnedTests } from '../proof/judge-proof.ts'
import { leftOutside } from '../proof/left-outside.ts'
import { packagesIn } from '../proof/packages.ts'
import type { PersonEdit } from '../proof/person-edits.ts'
import { changedFiles, prove } from '../proof/prove.ts'
import { Interrupted, type ProofRequest, type ProvenCheck, Unprepared } from '../proof/trial.ts'
import { sidesOf } from '../proof/sides.ts'
import { textOf } from './perform-work.ts'
import type { Room } from '../proof/room.ts'
import type { Failure } from '../core/failure.ts'
import type { SnapshotFiles, Workspace } from '../workspaces/workspace.ts'
import { PawlError } from '../core/pawl-error.ts'
import { posix } from 'node:path'
import { heldOutOf } from './held-out.ts'
import { makeReady } from './perform-prepare.ts'
import { bothRuns, isRunAgainInRoom } from './second-run.ts'
import { contextOf, type Performance } from './performance.ts'

/** Proves that the work is done: runs the checks in fresh copies, old tests on new code and, where tests changed, new tests on both. */
export async function performProof(effect: EffectOf<'prove'>, performance: Performance): Promise<void> {
  const { parts, post } = performance
  const startedAt = parts.clock.now()
  // In a folder that an agent's session works in, nobody has looked at what changed while the checks ran. The rooms are made of what is
  // there now, so that is what the tests are compared with: a test that the checks rewrote is a changed test.
  const found = effect.isShared ? await lookNow(performance) : undefined
  const made = await proofOf(effect, performance, found).catch((error: unknown) => {
    if (error instanceof Interrupted) return undefined
    if (error instanceof Unprepared) return error.failure as Fact<'prepare.failed'>
    throw error
  })
  if (made && 'type' in made) return post([made])
  // What was interrupted says nothing: it is done again when the run continues.
  if (!made) return post([])
  const { proof, installed = '' } = made
  const { output: packages } = await textOf(parts.store, { text: installed, bytesCut: 0 })
  const isSame = found === undefined ? await isAsProven(performance) : found.tree === (await lookNow(performance)).tree
  const findings = isSame ? proof.findings : [...proof.findings, { code: 'changed-meanwhile', count: 1 } as const]
  const at = parts.clock.now()
  const durationMs = Math.max(0, at - startedAt)
  const data = { key: effect.key, ...proof, findings, ...(packages ? { packages } : {}), durationMs }
  await post([{ type: 'proof.made', at, by: { role: 'runner' }, data }])
}

/** Something that the agent left running may have changed the files meanwhile. */
async function isAsProven({ parts: { workspace }, state: { run, tree } }: Performance): Promise<boolean> {
  if (!tree) return true
  if (workspace.isAsKept) return workspace.isAsKept(run, tree.snapshot)
  return ((await workspace.preview?.(run, tree.snapshot))?.files.length ?? 0) === 0
}

async function lookNow({ parts: { workspace }, state: { run, tree } }: Performance): Promise<TreeNow> {
  return workspace.observe(run, 'proof', tree?.snapshot)
}

interface TreeNow {
  readonly tree: string
  readonly snapshot: string
}

interface Made {
  readonly proof: Proof
  /** What `packagesIn` lists now; absent if nobody can look. */
  readonly installed?: string
}

async function proofOf(
  effect: EffectOf<'prove'>,
  performance: Performance,
  lookedAt?: TreeNow,
): Promise<Made | Fact<'check.errored'>> {
  const { parts, state, cwd } = performance
  const { workspace } = parts
  const [start, present] = [state.base, state.tree]
  if (!start || !present) throw new PawlError('proof.no-tree', 'There is no tree to prove; this is a defect.')
  const specs = new Map(state.config.checks.map((spec) => [String(spec.settings['name']), spec]))
  const records = state.current.checks.filter((record) => !record.isReview)
  const left = new Set(effect.left)
  const checks = records.map((record) => withoutLeft(provenCheck(state, record, specs.get(record.name)), left))
  const trees = { start: start.tree, present: present.tree }
  const mayChange = permission(state)
  if (!workspace.filesOf) return { proof: proofInPlace(trees, checks) }
  const heldOut = heldOutOf(effect, performance)
  if (heldOut && 'type' in heldOut) return heldOut
  const [startFiles, presentFiles] = await Promise.all([
    workspace.filesOf(start.snapshot, start.tree),
    workspace.filesOf((lookedAt ?? present).snapshot, (lookedAt ?? present).tree),
  ])
  const leftOut = async (): Promise<readonly string[]> => (await workspace.leftOut?.(state.run)) ?? []
  const before = state.packages ? ((await parts.store.getText(state.packages)) ?? '') : ''
  const installed = await packagesIn(cwd, await leftOut())
  const flaky = new Map<string, Set<string>>()
  const proof = await prove({
    run: state.run,
    cwd,
    trees,
    start: startFiles,
    present: presentFiles,
    checks,
    isCopy: parts.checks.some((check) => check.needsCopy),
    prepareCommands: (proofConfig(state).prepare ?? []).flatMap((step) => commandOf({ settings: { ...step } }) ?? []),
    reviewCommands: state.config.checks.flatMap(reviewCommand),
    tests: testGlobs(state),
    mayChange,
    ...(effect.written ? { written: await writtenBefore(effect.written, performance) } : {}),
    packages: { before, now: installed },
    personEdits: await personEdits(workspace, state),
    leftOut,
    hidden: await hiddenOutside(performance),
    ...(heldOut ? { heldOut } : {}),
    prepare: async (cell, room) => {
      const end = await makeReady(effect, performance, room, cell)
      if (end === 'interrupted') throw new Interrupted()
      return end === 'ready' ? undefined : end
    },
    runCheck: async (name, cell, room) => resultWithout(await runInRoom(effect, performance, { name, cell, room, flaky }), left),
  })
  const found = [...flaky].map(([check, tests]) => ({ check, tests: [...tests].slice(0, PROOF_NAMES_MAX) }))
  return { proof: found.length === 0 ? proof : { ...proof, flaky: found }, installed }
}

/** The files as they were before and after each time that a person changed some. */
async function personEdits({ filesOf }: Workspace, { personEdits: edits = [] }: State): Promise<readonly PersonEdit[]> {
  if (!filesOf) return []
  return Promise.all(edits.map(async ({ before, after }) => ({ before: await filesOf(before), after: await filesOf(after) })))
}

/** What the work left outside the workspace, but no program that a check's command names; nothing if the run's clock isn't that of the files. */
async function hiddenOutside({ parts: { clock }, state, cwd }: Performance): Promise<readonly string[]> {
  const isReal = Math.abs(clock.now() - Date.now()) < CLOCK_DIFFERENCE_MS_MAX
  if (!isReal) return []
  const commands = state.config.checks.flatMap((spec) => commandOf(spec) ?? []).join(' ')
  return (await leftOutside(state.startedAt, cwd)).filter((path) => !commands.includes(path))
}

const CLOCK_DIFFERENCE_MS_MAX = 60_000

/** Globs of the user's for the test side. */
function testGlobs(state: State): readonly string[] {
  return [...(proofConfig(state).tests ?? []), ...(state.config.protect ?? [])]
}

/** Tests that were written for the work: a test is theirs if it was first seen then, or is in a file that was changed then. */
async function writtenBefore(
  { iteration, since, snapshot, isOwn }: WrittenTests,
  { parts: { workspace }, state }: Performance,
): Promise<NonNullable<ProofRequest['written']>> {
  const filesOf = async (name: string): Promise<SnapshotFiles> =>
    (await workspace.filesOf?.(name)) ?? { files: new Map(), read: async () => undefined }
  const [before, files] = await Promise.all([filesOf(since), filesOf(snapshot)])
  const { checks } = state.measures.ledger
  const isTheirs = (check: string, { id, file = id }: Failure): boolean => {
    const known = Object.hasOwn(checks, check) && Object.hasOwn(checks[check]!.tests, id) ? checks[check]!.tests[id] : undefined
    // A file that cannot be loaded on the old code is no test that ran before.
    return known ? known.first === iteration : files.files.get(file)?.id !== before.files.get(file)?.id
  }
  return { files, isOfOthers: (check, failure) => !isOwn && isTheirs(check, failure) }
}

/** The files that changed since a snapshot: those of the tests, and the others. What tools and installers write is neither. */
export async function changedSides(
  { parts: { workspace }, state }: Performance,
  since: string,
): Promise<{ readonly tests: readonly string[]; readonly others: readonly string[] }> {
  const commands = state.config.checks.flatMap((spec) => commandOf(spec) ?? [])
  if (!workspace.filesOf || !state.tree) {
    const paths = state.current.observed?.files.map(({ path }) => path) ?? []
    const sides = await sidesOf({ paths, commands, globs: testGlobs(state), read: async () => undefined })
    return { tests: paths.filter(sides.isTest), others: paths.filter((path) => !sides.isTest(path)) }
  }
  const [before, now] = await Promise.all([workspace.filesOf(since), workspace.filesOf(state.tree.snapshot)])
  return changedFiles({ before, now, commands, globs: testGlobs(state) })
}

/** A workspace that cannot show its snapshots: what the checks said in it is all there is. */
function proofInPlace({ start, present }: { start: string; present: string }, checks: readonly ProvenCheck[]): Proof {
  const red = checks.filter(({ start: before }) => before && !before.passed && before.failing.length > 0)
  return {
    level: red.length > 0 ? 'red-to-green' : 'unproven',
    start,
    tree: present,
    cells: [],
    ...turnedTests(red.flatMap(({ start: before }) => before?.failing ?? [])),
    changedTests: [],
    changedTestsCount: 0,
    findings: [],
  }
}

function provenCheck(state: State, record: CheckRecord, spec: PartSpec | undefined): ProvenCheck {
  const { name, counts, failures } = record
  const command = spec && commandOf(spec)
  const start = startOf(state, name)
  const inPlace: CellResult = {
    cell: 'old-tests-new-code',
    check: name,
    place: 'workspace',
    status: record.passed ? 'passed' : 'failed',
    ...(counts ? { counts } : {}),
    failures,
    durationMs: 0,
  }
  return {
    name,
    ...(command === undefined ? {} : { command }),
    ...(spec?.settings['room'] === false ? { room: false } : {}),
    ...(start ? { start } : {}),
    ...(spec && isBeforeSuccess(spec) ? { isLate: true as const } : {}),
    ...(state.config.ownChecks?.includes(name) ? { isOwn: true as const } : {}),
    inPlace,
  }
}

/** A check as if tests that are for a later task weren't there. */
function withoutLeft(check: ProvenCheck, left: ReadonlySet<string>): ProvenCheck {
  const { start, inPlace } = check
  if (left.size === 0) return check
  const failing = start?.failing.filter((id) => !left.has(id)) ?? []
  return {
    ...check,
    inPlace: resultWithout(inPlace, left),
    ...(start ? { start: { ...start, failing, passed: start.passed || failing.length === 0 } } : {}),
  }
}

function resultWithout(result: CellResult, left: ReadonlySet<string>): CellResult {
  const failures = result.failures.filter(({ id }) => !left.has(id))
  if (result.status !== 'failed' || failures.length === result.failures.length) return result
  return { ...result, failures, status: failures.length === 0 ? 'passed' : 'failed' }
}

/** The command of a reviewer that is an agent of the user's own. */
function reviewCommand({ settings: { review, agent } }: PartSpec): readonly string[] {
  const line = review === 'agent' && agent ? commandOf(agent as unknown as PartSpec) : undefined
  return line === undefined ? [] : [line]
}

/** A check's command as a shell would read it. */
function commandOf({
  settings: { command, cwd },
}: {
  readonly settings: object & { command?: unknown; cwd?: unknown }
}): string | undefined {
  const line = Array.isArray(command) ? command.join(' ') : command
  if (typeof line !== 'string') return undefined
  return typeof cwd === 'string' ? `cd ${cwd} && ${line}` : line
}

/** Whether a whole file couldn't be loaded, and not only what one test of a name loads. */
function isWholeFile(failure: Failure): boolean {
  return (
    hidesTests(failure) && (failure.file === undefined || isCodeFile(failure.id) || hidesTests({ ...failure, kind: 'assertion' }))
  )
}

/** A check's result before the first work on the goal, or on the unit under way. */
function startOf({ baseline, measures, unit }: State, name: string): StartResult | undefined {
  const known = Object.hasOwn(measures.ledger.checks, name) ? measures.ledger.checks[name] : undefined
  const from = unit?.firstIteration ?? 1
  // A check of this unit only, or one that was added, did not run before the work.
  if (!baseline || !known || known.first >= from) return undefined
  // A check whose tests all pass can fail as a whole, for lack of coverage for example.
  // A flaky test's result proves nothing.
  const failing = baseline.failures.filter(({ id }) =>
    Object.hasOwn(known.tests, id) ? known.tests[id]!.first < from && known.tests[id]!.flaky === undefined : id === name,
  )
  const hidden = new Set(failing.filter((each) => hidesTests(each) || each.kind === 'lint').map(({ id }) => id))
  const failed = new Set(failing.map(({ id }) => id))
  const tests = Object.entries(known.tests).flatMap(([id, entry]) => {
    const isThere = entry.first < from && !(entry.since < from && entry.outcome === 'gone') && !hidden.has(id) && id !== name
    if (!isThere) return []
    const wasSkipped = (entry.since < from ? entry.outcome : entry.before) === 'skipped'
    return [{ id, outcome: failed.has(id) ? ('failed' as const) : wasSkipped ? ('skipped' as const) : ('passed' as const) }]
  })
  // Diagnostics, and files that could not be loaded, are counted as tests but aren't.
  const isCounted = known.start !== undefined && (known.startIteration ?? 0) < from
  const counts = isCounted ? { ...known.start, failed: Math.max(0, known.start.failed - hidden.size) } : undefined
  const ran = counts ? counts.passed + counts.failed : 0
  const said = { ...(counts ? { counts } : {}), failures: failing }
  return {
    passed: failing.length === 0,
    ...(counts && ran > 0 ? { counts } : {}),
    tests,
    areAllNamed: tests.length > 0 && tests.filter(({ outcome }) => outcome !== 'skipped').length >= ran,
    failing: [...failed],
    hidden: failing.filter(isWholeFile).map(({ id }) => id),
    problemFiles: failing.flatMap(({ kind, file }) =>
      (kind === 'lint' || kind === 'compile') && file !== undefined ? [file] : [],
    ),
    ...(findsNoTests(name, said) ? { hasNoTests: true as const } : {}),
    ...(lacksCoverage(name, said) ? { lacksCoverage: true as const } : {}),
  }
}

function proofConfig({ config }: State): ProofConfig {
  return config.proof === false ? {} : (config.proof ?? {})
}

/** Which tests a person lets the agent change: by a setting, or by an answer. */
function permission(state: State): (path: string) => boolean {
  const { allowances = [] } = state
  const globs = (proofConfig(state).mayChange ?? []).flatMap((glob) => [glob, `${glob.replace(/\/+$/, '')}/**`])
  const files = new Set(allowances.flatMap(({ file }) => file ?? []))
  const isAny = allowances.some(({ file }) => file === undefined)
  return (path) => isAny || files.has(path) || globs.some((glob) => posix.matchesGlob(path, glob))
}

interface InRoom {
  readonly name: string
  readonly cell: CellName
  readonly room: Room
  /** Tests found to be flaky, by check. */
  readonly flaky: Map<string, Set<string>>
}

async function runInRoom(
  effect: EffectOf<'prove'>,
  performance: Performance,
  { name, cell, room, flaky }: InRoom,
): Promise<CellResult> {
  const { parts, state, signal, onProgress } = performance
  const check = parts.checks.find((each) => each.name === name)
  if (signal.aborted || !check) throw new Interrupted()
  const by: Author = { role: 'check', name }
  onProgress?.({ key: effect.key, line: `proving: ${name} ${WORDS[cell]}` })
  const context = contextOf(effect, performance, (process) =>
    process === undefined
      ? []
      : [{ type: 'check.started', at: parts.clock.now(), by, data: { key: effect.key, name, cell, process } }],
  )
  const startedAt = parts.clock.now()
  const request = { run: state.run, iteration: effect.iteration, cwd: room.cwd, tree: effect.tree, hasRun: true as const }
  const place = { workspace: performance.cwd, ...(room.box ? { box: room.box } : {}) }
  const first = await check.run({ ...request, ...place }, context)
  // On the new code a red needs a second look; elsewhere it is what is expected.
  const isDoubted = isNewCode(cell) && isRunAgainInRoom(check, first)
  const both = isDoubted ? bothRuns(first, await check.run({ ...request, ...place }, context), name, state) : undefined
  if (both && both.flaky.length > 0) flaky.set(name, new Set([...(flaky.get(name) ?? []), ...both.flaky]))
  const result = both?.result ?? first
  if (result.status === 'aborted') throw new Interrupted()
  const durationMs = Math.max(0, parts.clock.now() - startedAt)
  return { cell, check: name, place: room.place, ...saidIn(result), durationMs }
}

function isNewCode(cell: CellName): boolean {
  return cell === 'old-tests-new-code' || cell === 'new-tests-new-code'
}

/** What is being run, for the line that says what is happening. */
const WORDS: Readonly<Record<CellName, string>> = {
  'old-tests-old-code': 'in a fresh copy of the start, to compare',
  'old-tests-new-code': 'in a fresh copy, with the tests as they were',
  'new-tests-new-code': 'in a fresh copy, with the new tests',
  'new-tests-old-code': 'with the new tests on the old code',
  'altered-tests-new-code': 'with other expected values, to see the tests fail',
}

function saidIn(result: CheckResult): Pick<CellResult, 'status' | 'counts' | 'tests' | 'failures'> {
  if (result.status !== 'passed' && result.status !== 'failed') return { status: 'errored', failures: [] }
  const { counts, tests } = result
  const said = { ...(counts ? { counts } : {}), ...(tests ? { tests } : {}) }
  return result.status === 'passed'
    ? { status: 'passed', failures: [], ...said }
    : { status: 'failed', failures: result.failures, ...said }
}
