import type {
  BlockingStatistics,
  GuardStatistics,
  RunsWith,
  SavedByStops,
  SizeStatistics,
  Statistics,
  WeekStatistics,
} from '../evidence/statistics.ts'
import { ownOddsWords } from '../guards/odds/odds-words.ts'
import type { OwnOdds } from '../guards/odds/own-odds.ts'
import type { Compared, Proposal, TunedProposal, TuningCounts } from '../evidence/proposals.ts'
import { PROOF_LEVELS } from '../core/proof.ts'
import type { Spent } from '../core/spending.ts'
import { counted, duration, iterationNoun, money, percent, thousands } from '../core/wording.ts'
import type { ResearchStatistics } from '../loops/research/index.ts'
import { dateAndTime, fitted, labelled, type Screen, tableLines, wrapped } from './layout.ts'
import { spentWords } from './spent.ts'
import type { ShareChange } from '../evidence/tuning.ts'

/** What is shown: the statistics, and what was looked at. */
export type ShownStatistics = Omit<Statistics, 'proposals'> &
  Omit<Spent, 'activeMs'> & {
    readonly durationMs: number
    readonly proposals: readonly Compared<Proposal>[]
    readonly since: number | null
    readonly damaged: readonly string[]
    readonly ownOdds: OwnOdds
    readonly ceilings?: readonly UsedCeiling[]
    readonly research?: ResearchStatistics
  }

/** How much of one ceiling over all runs is used. */
export interface UsedCeiling {
  readonly scope: 'project' | 'account'
  readonly limit: 'dayUsd' | 'monthUsd' | 'dayTokens' | 'monthTokens'
  readonly max: number
  readonly spent: number
  readonly reserved: number
  readonly isEstimated?: true
}

/** "today, this project: $3.20 of $20.00, $1.00 reserved". */
export function ceilingLine({ scope, limit, max, spent, reserved, isEstimated }: UsedCeiling): string {
  const say = (amount: number): string => (limit.endsWith('Usd') ? money(amount) : `${thousands(amount)} tokens`)
  const when = limit.startsWith('day') ? 'today' : 'this month'
  const held = reserved === 0 ? '' : `, ${say(reserved)} reserved by work under way`
  const whose = scope === 'project' ? 'this project' : 'your account'
  return `${when}, ${whose}: ${say(spent)} of ${say(max)}${isEstimated ? ' (estimated)' : ''}${held}`
}

/** Statistics as a person reads them: the runs, a row a guard, a row a week, proposals, and how the estimate is made. */
export function statsLines(shown: ShownStatistics, screen: Screen): readonly string[] {
  const { paint, columns } = screen
  const when = shown.since === null ? '' : ` since ${dateAndTime(shown.since)}`
  const damaged = shown.damaged.map((run) => `${run} is damaged and not counted: pawl verify ${run}`)
  const ceilings = (shown.ceilings ?? []).map(ceilingLine)
  if (shown.runs.count === 0) return [`No runs${when} yet.`, ...damaged, ...ceilings]
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['', [...headLines(shown, when, columns), ...labelled('Odds', ownOddsWords(shown.ownOdds), columns)]],
    ['Ceilings', ceilings.map((line) => `  ${line}`)],
    ['Guards', guardLines(shown.guards, screen)],
    ['Week by week', weekLines(shown.weeks, screen)],
    ['By what failed at the start', sizeLines(shown.sizes, screen)],
    ['What blocked runs', blockingLines(shown.blocking, screen)],
    ['Flaky tests', flakyLines(shown.flaky, screen)],
    ['Research', shown.research ? researchStatsLines(shown.research, screen) : []],
    ['Proposals', proposalLines(shown.proposals, screen)],
    ['', [...damaged, ...wrapped(ESTIMATE, columns).map((line) => paint('dim', line))]],
  ]
  return sections
    .filter(([, lines]) => lines.length > 0)
    .flatMap(([title, lines], index) => [...(index === 0 ? [] : ['']), ...(title === '' ? [] : [paint('bold', title)]), ...lines])
}

const ESTIMATE =
  'Saved is an estimate: if a guard stopped a run for good, the iterations that its limits still allowed, at its average time and cost per iteration. A stop counts as false if a person called it a false alarm, or if the run then continued without help and succeeded.'

function headLines(shown: ShownStatistics, when: string, columns: number) {
  const { runs, iterations, durationMs, saved } = shown
  const rate = runs.successRate === undefined ? '' : ` (${percent(runs.successRate)} of those that are over)`
  const others = (['partial', 'accepted', 'stopped', 'aborted', 'open', 'imported'] as const)
    .filter((name) => runs[name] > 0)
    .map((name) => `, ${runs[name]} ${name}${name === 'imported' ? ' without a report of tests' : ''}`)
  const spent = spentWords(shown)
    .map((words) => `, ${words}`)
    .join('')
  return [
    ...labelled('Runs', `${counted(runs.count, 'run')}${when}: ${runs.succeeded} succeeded${rate}${others.join('')}`, columns),
    ...proofLine(runs, columns),
    ...labelled('Used', `${iterationNoun(iterations)}, ${duration(durationMs)} at work${spent}`, columns),
    ...(saved.runs === 0
      ? []
      : labelled(
          'Saved',
          `${savedWords(saved)}, ${duration(saved.durationMs)}, by ${counted(saved.runs, 'early stop')}`,
          columns,
        )),
  ]
}

/** Why the successes are believed; nothing if none of them has a proof. */
function proofLine({ proofs, succeeded }: ShownStatistics['runs'], columns: number): readonly string[] {
  const known = PROOF_LEVELS.filter((level) => proofs[level] > 0)
  if (known.length === 0) return []
  const without = succeeded - known.reduce((sum, level) => sum + proofs[level], 0)
  const words = [...known.map((level) => `${proofs[level]} ${level}`), ...(without > 0 ? [`${without} without a proof`] : [])]
  return labelled('Proof', `of the ${succeeded} that succeeded: ${words.join(', ')}`, columns)
}

function savedWords({ iterations, costUsd = 0 }: SavedByStops): string {
  return `about ${iterationNoun(iterations)}${costUsd > 0 ? `, ${money(costUsd)}` : ''}`
}

function guardLines(guards: readonly GuardStatistics[], screen: Screen): readonly string[] {
  const active = guards.filter(({ trips, nudges, waived, disputed }) => trips + nudges + waived + disputed > 0)
  const silent = guards.filter((guard) => !active.includes(guard)).map(({ guard }) => guard)
  const titles = ['guard', 'trips', 'warnings', 'stops', 'waived', 'called false', 'false', 'true', 'iterations', 'saved']
  const rows = active.map((row) => [
    row.guard,
    ...[row.trips, row.nudges, row.stops, row.waived, row.disputed, row.falseAlarms, row.trueAlarms].map(shownCount),
    shownCount(row.saved.iterations),
    savedCell(row.saved),
  ])
  return [
    ...(rows.length === 0 ? [] : usedColumns(titles, rows, screen)),
    ...(silent.length === 0 ? [] : labelled('Silent', silent.join(', '), screen.columns)),
  ]
}

/** A table without the columns in which nothing happened, so that it fits most screens. */
function usedColumns(titles: readonly string[], rows: readonly (readonly string[])[], screen: Screen): readonly string[] {
  const used = titles.map((_, index) => rows.some((row) => row[index] !== ''))
  const pick = (cells: readonly string[]): readonly string[] => cells.filter((_, index) => used[index])
  return tableLines(pick(titles), rows.map(pick), screen)
}

/** Cells without events stay empty, so that the eye finds the others. */
function shownCount(count: number): string {
  return count === 0 ? '' : String(count)
}

/** A dash where something was saved and nobody knows what it would have cost. */
function savedCell({ iterations, costUsd }: SavedByStops): string {
  if (iterations === 0) return ''
  return costUsd === undefined ? '-' : money(costUsd)
}

function weekLines(weeks: readonly WeekStatistics[], screen: Screen): readonly string[] {
  const titles = ['week of', 'runs', 'succeeded', 'trips', 'called false', 'iterations', 'saved']
  const rows = weeks
    .slice(-WEEKS_SHOWN_MAX)
    .map(({ week, runs, succeeded, over, trips, disputed, saved }) => [
      week,
      String(runs),
      over === 0 ? '' : percent(succeeded / over),
      ...[trips, disputed, saved.iterations].map(shownCount),
      savedCell(saved),
    ])
  const more = weeks.length - rows.length
  return [
    ...(more === 0 ? [] : [screen.paint('dim', `${counted(more, 'earlier week')}: --json has all`)]),
    ...usedColumns(titles, rows, screen),
  ]
}

const WEEKS_SHOWN_MAX = 13

function sizeLines(sizes: readonly SizeStatistics[], screen: Screen): readonly string[] {
  if (sizes.length === 0) return []
  const titles = ['failing', 'runs', 'succeeded', 'nine of ten within']
  const rows = sizes.map(({ failingAtStart, runs, succeeded, iterationsNineOfTen: within }) => [
    failingAtStart,
    String(runs),
    percent(succeeded / runs),
    within === undefined ? '' : iterationNoun(within),
  ])
  return tableLines(titles, rows, screen)
}

/** Tests, files and patterns of the runs that stopped without a pass, those of most runs first. */
function blockingLines({ runs, tests, files, patterns }: BlockingStatistics, screen: Screen): readonly string[] {
  if (runs === 0) return []
  const rows = [
    ...rowsOf('test', tests),
    ...rowsOf('file', files),
    ...rowsOf(
      'pattern',
      patterns.map(({ name, runs: count }) => ({ name: name.replaceAll('-', ' '), runs: count })),
    ),
  ]
  return tableLines([`in ${counted(runs, 'blocked run')}`, 'kind', 'runs'], rows, screen)
}

function rowsOf(kind: string, all: readonly RunsWith[]): readonly (readonly string[])[] {
  return all.slice(0, NAMES_SHOWN_MAX).map(({ name, runs }) => [fitted(name, NAME_WIDTH_MAX), kind, String(runs)])
}

function flakyLines(flaky: readonly RunsWith[], screen: Screen): readonly string[] {
  const rows = flaky.slice(0, FLAKY_SHOWN_MAX).map(({ name, runs }) => [fitted(name, NAME_WIDTH_MAX), String(runs)])
  const more = flaky.length - rows.length
  if (rows.length === 0) return []
  return [
    ...tableLines(['test', 'runs'], rows, screen),
    ...(more > 0 ? [screen.paint('dim', `and ${counted(more, 'more test')}: --json has all`)] : []),
  ]
}

const NAMES_SHOWN_MAX = 3
const FLAKY_SHOWN_MAX = 10
const NAME_WIDTH_MAX = 60

function proposalLines(proposals: readonly Compared<Proposal>[], screen: Screen): readonly string[] {
  const open = proposals.filter(({ inPlace }) => !inPlace)
  return [
    ...open.flatMap((proposal, index) => numberedProposal(proposal, index + 1, [evidenceWords(proposal.evidence)], screen)),
    ...inPlaceWords(proposals).flatMap((words) => wrapped(words, screen.columns)),
  ]
}

/** What to change, what that rests on, and the lines for the file. */
function numberedProposal(
  { message, yaml }: Proposal,
  number: number,
  details: readonly string[],
  { columns, paint }: Screen,
): readonly string[] {
  return [
    ...labelled(`${number}.`, message, columns, NUMBER_WIDTH),
    ...details.flatMap((line) => labelled('', line, columns, NUMBER_WIDTH).map((each) => paint('dim', each))),
    ...(yaml?.split('\n') ?? []).map((line) => `      ${paint('cyan', line)}`),
  ]
}

const NUMBER_WIDTH = 4

function evidenceWords({ known, falseAlarms, runs }: Proposal['evidence']): string {
  const wrong = falseAlarms === 0 ? '' : `, ${falseAlarms} of them false`
  const shown = runs.slice(-RUNS_SHOWN_MAX)
  const more = runs.length > shown.length ? ` and ${runs.length - shown.length} more` : ''
  return `Rests on ${counted(known, 'known case')}${wrong}, in ${shown.join(', ')}${more}.`
}

const RUNS_SHOWN_MAX = 5

/** What to say of proposals that the file follows already; nothing if there is none. */
function inPlaceWords(proposals: readonly Compared<Proposal>[]): readonly string[] {
  const guards = proposals.filter(({ inPlace }) => inPlace).map(({ guard }) => guard)
  if (guards.length === 0) return []
  return [`pawl.yaml already has what these runs suggest for ${guards.join(', ')}. The next run uses it.`]
}

/** What all research says together: how often it converged, which specialist closes what, and thresholds to think about. */
function researchStatsLines(statistics: ResearchStatistics, screen: Screen): readonly string[] {
  const { over, full, convergenceRate, effectiveness, proposals } = statistics
  if (over === 0) return []
  const rows = effectiveness.map(({ kind, role, tried, closed }) => [kind, role, String(tried), String(closed)])
  const ended = `${full} of ${counted(over, 'finished run')} (${percent(convergenceRate ?? 0)})`
  return [
    ...labelled('Converged', ended, screen.columns),
    ...(rows.length === 0 ? [] : tableLines(['gap', 'specialist', 'sent', 'closed'], rows, screen)),
    ...proposals.flatMap(({ kind, criterion, threshold, proposed, missed, over: all }) =>
      labelled(
        'Consider',
        `min_${criterion} ${proposed} instead of ${threshold} in pawl-research.yaml, for ${kind} questions: ${missed} of ${all} runs missed only that`,
        screen.columns,
      ),
    ),
  ]
}

/** What `pawl tune --json` prints. */
export interface TuneDocument {
  readonly since: number | null
  readonly runs: number
  readonly damaged: readonly string[]
  /** What counts of the runs to try thresholds on; those that are not over count neither way. */
  readonly counts: TuningCounts
  /** Each says whether `pawl.yaml` said so already before this command. */
  readonly proposals: readonly Compared<TunedProposal>[]
  /** How many of your own loops support the odds of the next run, by kind, and how far they move them. */
  readonly ownOdds: OwnOdds
  /** The file that was written, and where the old one is kept. */
  readonly written: { readonly path: string; readonly backup?: string } | null
}

/** Proposals as a person reads them: what to change, on what it rests, what to expect, and the lines for the file. */
export function tuneLines(
  { since, runs, counts, damaged, proposals, ownOdds, written }: TuneDocument,
  screen: Screen,
): readonly string[] {
  const { columns, paint } = screen
  const when = since === null ? '' : ` since ${dateAndTime(since)}`
  const broken = damaged.map((run) => `${run} is damaged and not counted: pawl verify ${run}`)
  if (runs === 0) return [`No runs${when} to learn from yet.`, ...broken]
  const odds = [...openLines(counts, columns), ...wrapped(`The odds: ${ownOddsWords(ownOdds)}.`, columns)]
  if (proposals.length === 0)
    return [
      ...wrapped(`Pawl proposes no other settings from ${counted(runs, 'run')}${when}. ${ENOUGH} ${countWords(counts)}`, columns),
      ...odds,
      ...broken,
    ]
  const open = proposals.filter(({ inPlace }) => !inPlace)
  const inPlace = inPlaceWords(proposals).flatMap((words) => wrapped(words, columns))
  if (open.length === 0) return [...inPlace, ...odds, ...broken]
  return [
    ...open.flatMap((proposal, index) => [
      ...(index === 0 ? [] : ['']),
      ...numberedProposal(proposal, index + 1, effectWords(proposal), screen),
    ]),
    '',
    ...writtenLines(written, open),
    ...inPlace,
    ...odds,
    ...broken,
    ...wrapped(READING, columns).map((line) => paint('dim', line)),
  ]
}

function countWords({ solved, failed }: TuneDocument['counts']): string {
  return `So far there are ${solved === 1 ? '1 success' : `${solved} successes`} and ${counted(failed, 'failure')}.`
}

/** Nothing if all runs are over. */
function openLines({ open }: TuneDocument['counts'], columns: number): readonly string[] {
  if (open === 0) return []
  const which = open === 1 ? "1 run isn't over and doesn't" : `${open} runs aren't over and don't`
  const sentence = `${which} count yet. If one waits for an answer: \`pawl answer RUN 1 --resume\`.`
  return wrapped(sentence, columns)
}

const ENOUGH =
  'A proposal needs at least 4 stops of a guard with a known outcome, 5 runs in which it warned, or 20 successes and 10 failures to try thresholds on.'

const READING =
  'Pawl replayed the runs with and without each change. Thresholds at which a guard decides were chosen on four fifths of the goals and counted on the rest. Nobody knows what would have come after a stop, so a run that was ended counts as it ended. Bounds are 95% intervals, resampled by goal.'

/** What to expect of a proposal. */
function effectWords({ falseAlarms, effect }: TunedProposal): readonly string[] {
  return [
    ...(falseAlarms
      ? [`False alarms so far: ${falseAlarms.times} of ${falseAlarms.of}; the share lies ${between(falseAlarms.interval)}.`]
      : []),
    ...(effect
      ? [changeWords('Successes lost', effect.lost), changeWords('Iterations of failed runs avoided', effect.avoided)]
      : []),
  ]
}

/** "Successes lost: 4 of 5 now, 0 then (between -100% and -40%)." */
function changeWords(what: string, { of, before, after, interval }: ShareChange): string {
  const bounds = interval ? ` (a change ${between(interval)})` : ''
  return of === 0 ? `${what}: no cases.` : `${what}: ${before} of ${of} now, ${after} then${bounds}.`
}

function between([low, high]: readonly [number, number]): string {
  return `between ${Math.round(100 * low)}% and ${Math.round(100 * high)}%`
}

function writtenLines(written: TuneDocument['written'], proposals: readonly TunedProposal[]): readonly string[] {
  const open = proposals.filter(({ yaml }) => yaml === undefined).map(({ guard }) => guard)
  const left = open.length === 0 ? [] : [`Set by a program, not in pawl.yaml: ${open.join(', ')}.`]
  if (open.length === proposals.length) return left
  if (!written) return [...left, 'Nothing was changed. To write these lines into pawl.yaml: pawl tune --write']
  const kept = written.backup === undefined ? '' : `; the old file is ${written.backup}`
  return [...left, `Wrote ${written.path}${kept}.`]
}
