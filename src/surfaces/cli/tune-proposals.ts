import { readUndamaged } from './stored-run.ts'
import { knownCost, runRecord, type RunRecord } from '../../evidence/run-record.ts'
import {
  type Compared,
  guardLines,
  type Proposal,
  proposals,
  type TunedProposal,
  type TuningCounts,
} from '../../evidence/proposals.ts'
import { rateInterval } from '../../evidence/statistics.ts'
import { type FoundThreshold, type PolicyChange, policyComparison, thresholdSearch } from '../../evidence/tuning.ts'
import { type Policy, policyFrom, policyOverlap } from '../../evidence/backtest/policy.ts'
import { storedLoop } from '../../evidence/backtest/stored-loop.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { GuardSpec } from '../../core/run-config.ts'
import { counted, money } from '../../core/wording.ts'
import type { Store } from '../../stores/store.ts'
import { parse } from 'yaml'
import { maxIterations } from '../../guards/index.ts'
import { camelCase } from '../../schema/file-kinds.ts'
import type { PlainValue } from '../../settings/set-in-yaml.ts'
import type { GuardName } from '../../guards/default-guards.ts'
import { guardOf } from '../../settings/configured-guards.ts'
import type { CliContext } from './cli-context.ts'
import { loadConfig } from '../../settings/load-config.ts'
import type { PawlConfig } from '../../settings/pawl-config.ts'

/** What the runs of a store speak for. */
export interface Tuning {
  readonly runs: number
  readonly counts: TuningCounts
  /** The guards of all runs. */
  readonly guards: readonly string[]
  readonly damaged: readonly string[]
  readonly tuned: readonly Compared<TunedProposal>[]
}

export interface TuningRequest {
  /** Only runs that began since. Default: all. */
  readonly from?: number
  /** Only this guard. Default: all. */
  readonly guard?: string
  /** Says of each proposal whether it is followed already. */
  readonly compare: (proposals: readonly TunedProposal[]) => Promise<readonly Compared<TunedProposal>[]>
}

/**
 * Proposals from the answers people gave, and from thresholds at which guards could have decided. The journals are read more than once:
 * what to try is known only when all of them were read.
 */
export async function tunedProposals(store: Store, { from = 0, guard, compare }: TuningRequest): Promise<Tuning> {
  const names = (await store.runs()).filter(({ startedAt }) => startedAt >= from).map(({ run }) => run)
  const { records, damaged, guards } = await read(store, names)
  const answered = proposals(records)
  const { changes, found, counts } = await tried(store, names, guards, answered)
  const searched = found
    .filter((threshold) => !answered.some((proposal) => proposal.guard === threshold.guard) && !isDisputed(threshold, records))
    .map(searchedProposal)
  const wanted = [...answered.map((proposal) => withEffect(proposal, changes, records)), ...searched].filter(
    (proposal) => guard === undefined || proposal.guard === guard,
  )
  return {
    runs: records.length,
    counts,
    guards: [...new Set(records.flatMap((record) => record.guards.map((each) => each.guard)))],
    damaged,
    tuned: await withoutOverlap(store, names, guards, await compare(wanted)),
  }
}

interface Read {
  /** The oldest first. */
  readonly records: readonly RunRecord[]
  readonly damaged: readonly string[]
  /** What the newest run was given: what a proposal changes. */
  readonly guards: readonly GuardSpec[]
}

async function read(store: Store, names: readonly string[]): Promise<Read> {
  const records: RunRecord[] = []
  const damaged: string[] = []
  let newest: { readonly at: number; readonly guards: readonly GuardSpec[] } | undefined
  for (const run of names) {
    const events = await readUndamaged(store, run)
    const record = events && runRecord(events)
    const [first] = events ?? []
    if (!record || first?.type !== 'run.started') {
      damaged.push(run)
      continue
    }
    records.push(record)
    if (!newest || first.at >= newest.at) newest = { at: first.at, guards: first.data.config.guards }
  }
  const sorted = records.toSorted((one, other) => one.startedAt - other.startedAt)
  return { records: sorted, damaged, guards: buildable(newest?.guards ?? []) }
}

async function tried(store: Store, names: readonly string[], guards: readonly GuardSpec[], answered: readonly Proposal[]) {
  const others = answered.flatMap((proposal) => {
    const setting = settingOf(proposal)
    return setting ? [policyOf(proposal.guard, withSetting(guards, setting))] : []
  })
  const comparison = policyComparison(policyOf('now', guards), others)
  const search = thresholdSearch(guards)
  const counts = { solved: 0, failed: 0, open: 0 }
  for (const run of names) {
    const events = await readUndamaged(store, run)
    const loop = events && storedLoop(events)
    // Imported sessions may be of another kind, and kinds are never put together.
    if (!events || loop?.kind !== 'attempts') continue
    comparison.add(loop)
    search.add(loop)
    if (loop.outcome) counts[loop.outcome]++
    else if (runRecord(events)?.ending === 'open') counts.open++
  }
  return { changes: comparison.changes(), found: search.found(), counts }
}

function withEffect(proposal: Proposal, changes: readonly PolicyChange[], records: readonly RunRecord[]): TunedProposal {
  const change = changes.find(({ policy }) => policy === proposal.guard)
  const effect = change && { lost: change.lost, avoided: change.avoided }
  return { ...proposal, ...falseShare(proposal.guard, records), ...(effect ? { effect } : {}) }
}

function falseShare(guard: string, records: readonly RunRecord[]): Pick<TunedProposal, 'falseAlarms'> {
  const known = records.flatMap(({ alarms }) => alarms.filter((alarm) => alarm.guard === guard && alarm.judgement !== 'open'))
  const times = known.filter(({ judgement }) => judgement === 'false').length
  return known.length === 0 ? {} : { falseAlarms: { of: known.length, times, interval: rateInterval(times, known.length) } }
}

/**
 * What several guards would save by deciding is saved once: what is followed already saves it, then the one that saves most. One that saves
 * nothing beside those is left out, and of one that saves less that is said.
 */
async function withoutOverlap(
  store: Store,
  names: readonly string[],
  guards: readonly GuardSpec[],
  wanted: readonly Compared<TunedProposal>[],
): Promise<readonly Compared<TunedProposal>[]> {
  const deciding = wanted
    .flatMap((proposal) => {
      const setting = proposal.kind === 'decide' ? settingOf(proposal) : undefined
      return setting ? [{ proposal, policy: policyOf(proposal.guard, withSetting(guards, setting)) }] : []
    })
    .toSorted((one, other) => gainOf(other.proposal) - gainOf(one.proposal))
    .toSorted((one, other) => Number(other.proposal.inPlace) - Number(one.proposal.inPlace))
  if (deciding.length < 2) return wanted
  const overlap = policyOverlap(
    policyOf('now', guards),
    deciding.map(({ policy }) => policy),
  )
  for (const run of names) {
    const loop = storedLoop((await readUndamaged(store, run)) ?? [])
    if (loop?.kind === 'attempts') overlap.add(loop)
  }
  const avoided = overlap.avoided()
  const kept: Compared<TunedProposal>[] = []
  for (const [index, { proposal }] of deciding.entries()) {
    const { alone, beside } = avoided[index] ?? { alone: 0, beside: 0 }
    if (proposal.inPlace || beside === alone) kept.push(proposal)
    else if (beside > 0) kept.push({ ...proposal, message: `${proposal.message} ${besideWords(kept, beside)}` })
  }
  return [...wanted.filter((proposal) => deciding.every((each) => each.proposal !== proposal)), ...kept]
}

/** Proposals that are followed already are not listed. */
function besideWords(before: readonly Compared<Proposal>[], iterations: number): string {
  const inPlace = before.some((each) => each.inPlace) ? ['what pawl.yaml says already'] : []
  const above = before.some((each) => !each.inPlace) ? ['what stands above'] : []
  return `Beside ${[...inPlace, ...above].join(' and ')} it saves only ${counted(iterations, 'iteration')}.`
}

function gainOf({ effect }: TunedProposal): number {
  return effect ? effect.avoided.after - effect.avoided.before : 0
}

/** Whom people contradicted is not given more to decide. */
function isDisputed({ guard }: FoundThreshold, records: readonly RunRecord[]): boolean {
  return records.some(({ disputed }) => disputed.includes(guard))
}

function searchedProposal({ guard, setting, to, solved, failed, costUsdSaved, lost, avoided }: FoundThreshold): TunedProposal {
  const iterations = avoided.after - avoided.before
  const price = costUsdSaved > 0 ? ` and ${money(costUsdSaved)}` : ''
  return {
    guard,
    kind: 'decide',
    message: `Let ${guard} decide at ${setting} ${to}: of ${counted(solved, 'solved run')} none would have been lost, and ${counted(failed, 'failed run')} would have been ${counted(iterations, 'iteration')}${price} shorter.`,
    evidence: {
      known: solved + failed,
      falseAlarms: 0,
      falseAvoided: 0,
      trueMissed: 0,
      iterations: -iterations,
      ...knownCost(-costUsdSaved),
      runs: [],
    },
    yaml: guardLines(guard, { [setting]: to }, 'trip'),
    effect: { lost, avoided },
  }
}

/** A proposal that can be in the file: where, and what. */
export interface Setting {
  readonly path: readonly [string, ...string[]]
  readonly value: PlainValue
}

/** What a proposal writes into `pawl.yaml`; nothing for a guard that can't be there. */
export function settingOf({ yaml }: Proposal): Setting | undefined {
  if (yaml === undefined) return undefined
  const { guards, max_iterations: max } = parse(yaml) as {
    readonly guards?: Readonly<Record<string, PlainValue>>
    readonly max_iterations?: number
  }
  if (max !== undefined) return { path: ['max_iterations'], value: max }
  const [entry] = Object.entries(guards ?? {})
  return entry && { path: ['guards', entry[0]], value: entry[1] }
}

/** The guards of a configuration as a policy. */
function policyOf(name: string, guards: readonly GuardSpec[]): Policy {
  return policyFrom({ name, guards })
}

/** Guards that can be built from their data: those that are functions of a program are left out. */
function buildable(guards: readonly GuardSpec[]): readonly GuardSpec[] {
  return guards.filter((spec) => !isOfProgram(spec))
}

function isOfProgram({ name, parts = [] }: GuardSpec): boolean {
  return name === 'custom' || parts.some(isOfProgram)
}

/** The guards with one of them set as the proposal says. */
function withSetting(guards: readonly GuardSpec[], { path, value }: Setting): readonly GuardSpec[] {
  const made = specsOf(path, value)
  const [first] = made
  const names = new Set(made.flatMap(namesOf))
  const place = guards.findIndex((spec) => namesOf(spec).some((name) => names.has(name)))
  if (!first || place === -1) return [...guards, ...made]
  return guards.map((spec, index) => (index === place ? first : spec))
}

function specsOf(path: Setting['path'], value: PlainValue): readonly GuardSpec[] {
  if (path[0] === 'max_iterations') return [maxIterations(Number(value)).spec]
  const given = typeof value === 'object' ? value : { severity: value }
  const options = Object.fromEntries(Object.entries(given).map(([key, each]) => [camelCase(key), each]))
  return guardOf(camelCase(path.at(-1) ?? '') as GuardName, options).map(({ spec }) => spec)
}

/** A ladder goes by the name of the guard in it. */
function namesOf({ name, parts = [] }: GuardSpec): readonly string[] {
  return name === 'ladder' ? parts.map((part) => part.name) : [name]
}

/**
 * Compares proposals with what `pawl.yaml` says now. The file is read only if there is something to compare. One that is wrong is an
 * error if it is to be written; if it is only read, it gives a warning and says nothing.
 */
export async function comparedWithFile<Proposed extends Proposal>(
  context: CliContext,
  given: readonly Proposed[],
  isWriting = false,
): Promise<readonly Compared<Proposed>[]> {
  const config = given.length === 0 ? undefined : await configOf(context, isWriting)
  return given.map((proposal) => ({ ...proposal, inPlace: config !== undefined && isInPlace(proposal, config) }))
}

async function configOf({ project, terminal }: CliContext, isWriting: boolean): Promise<PawlConfig | undefined> {
  try {
    return await loadConfig(project.configPath)
  } catch (error) {
    if (isWriting || !(error instanceof PawlError)) throw error
    terminal.warn(error.message)
    return undefined
  }
}

/**
 * Whether a `pawl.yaml` says already what a proposal would write, or more of the same: a threshold that is higher still, a guard that is
 * off where it was to warn only. What the file does not name it does not say, whatever the default is.
 */
export function isInPlace(proposal: Proposal, config: PawlConfig): boolean {
  const setting = settingOf(proposal)
  if (!setting) return false
  if (setting.path[0] === 'max_iterations') return (config.maxIterations ?? 0) >= Number(setting.value)
  const given = config.guards?.[proposal.guard as GuardName]
  if (given === undefined) return false
  const [present] = guardOf(proposal.guard as GuardName, given)
  const [wanted] = withSetting([], setting)
  if (!present) return proposal.kind !== 'decide'
  if (!wanted) return false
  const isDeciding = decides(present.spec)
  if (proposal.kind !== 'decide' && !isDeciding) return true
  if (proposal.kind === 'warn' || !isDeciding) return false
  const names = typeof setting.value === 'object' ? Object.keys(setting.value).map(camelCase) : []
  const [is, to] = [settingsOf(present.spec), settingsOf(wanted)]
  return names.every((name) => {
    if (typeof to[name] !== 'number') return true
    return proposal.kind === 'raise' ? Number(is[name]) >= to[name] : Number(is[name]) <= to[name]
  })
}

function decides({ name, severity }: GuardSpec): boolean {
  return name === 'ladder' || severity === 'trip'
}

/** Those of a ladder are those of the guard in it. */
function settingsOf({ name, settings, parts = [] }: GuardSpec): GuardSpec['settings'] {
  return name === 'ladder' ? (parts[0]?.settings ?? {}) : settings
}
