import type { ShareChange } from '../evidence/tuning.ts'
import { ownOddsWords } from '../guards/odds/odds-words.ts'
import { counted } from '../core/wording.ts'
import type { Compared, TunedProposal, TuningCounts } from '../evidence/proposals.ts'
import type { OwnOdds } from '../guards/odds/own-odds.ts'
import { dateAndTime, labelled, type Screen, wrapped } from './layout.ts'
import { inPlaceWords } from './stats-lines.ts'

/** What `pawl tune --json` prints. */
export interface TuneDocument {
  readonly since: number | null
  readonly runs: number
  readonly damaged: readonly string[]
  /** What counts of the runs to try thresholds on; those that are not over count neither way. */
  readonly counts: TuningCounts
  /** Each says whether `pawl.yaml` said so already before this command. */
  readonly proposals: readonly Compared<TunedProposal>[]
  /** How many of one's own loops stand behind the odds of the next run, by kind, and how far they move them. */
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
  if (runs === 0) return [`No runs${when} yet to learn from.`, ...broken]
  const odds = [...openLines(counts, columns), ...wrapped(`The odds: ${ownOddsWords(ownOdds)}.`, columns)]
  if (proposals.length === 0)
    return [
      ...wrapped(`No other settings are proposed from ${counted(runs, 'run')}${when}. ${ENOUGH} ${countWords(counts)}`, columns),
      ...odds,
      ...broken,
    ]
  const open = proposals.filter(({ inPlace }) => !inPlace)
  const inPlace = inPlaceWords(proposals).flatMap((words) => wrapped(words, columns))
  if (open.length === 0) return [...inPlace, ...odds, ...broken]
  return [
    ...open.flatMap((proposal, index) => [...(index === 0 ? [] : ['']), ...proposalLines(proposal, index + 1, screen)]),
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

/** Nothing where all runs are over. */
function openLines({ open }: TuneDocument['counts'], columns: number): readonly string[] {
  if (open === 0) return []
  const which = open === 1 ? '1 run is not over and counts' : `${open} runs are not over and count`
  const sentence = `${which} neither way yet. Where one waits for an answer, it takes \`pawl answer\` and then \`pawl resume\`.`
  return wrapped(sentence, columns)
}

const ENOUGH =
  'It takes at least 4 stops of a guard whose outcome is known, 5 runs that it warned in, or 20 successes and 10 failures to try thresholds on.'

const READING =
  'The runs were replayed with and without the change, each change alone; a threshold at which a guard is to decide was chosen on four fifths of the goals and counted on the others. What would have come after a stop nobody knows: a run that was ended counts as it ended. Bounds: 95 of 100 times, drawn anew by goal; where all goals went alike, what so few cannot rule out.'

function proposalLines(
  { message, yaml = '', falseAlarms, effect }: TunedProposal,
  number: number,
  { columns, paint }: Screen,
): readonly string[] {
  const told = [
    ...(falseAlarms
      ? [`False alarms so far: ${falseAlarms.times} of ${falseAlarms.of}; the share lies ${between(falseAlarms.interval)}.`]
      : []),
    ...(effect
      ? [changeWords('Successes lost', effect.lost), changeWords('Iterations of failed runs avoided', effect.avoided)]
      : []),
  ]
  return [
    ...labelled(`${number}.`, message, columns, NUMBER_WIDTH),
    ...told.flatMap((line) => labelled('', line, columns, NUMBER_WIDTH).map((each) => paint('dim', each))),
    ...(yaml === '' ? [] : yaml.split('\n').map((line) => `      ${paint('cyan', line)}`)),
  ]
}

const NUMBER_WIDTH = 4

/** "Successes lost: 4 of 5 now, 0 then (between -100% and -40%)." */
function changeWords(what: string, { of, before, after, interval }: ShareChange): string {
  const bounds = interval ? ` (a change ${between(interval)})` : ''
  return of === 0 ? `${what}: none to speak of.` : `${what}: ${before} of ${of} now, ${after} then${bounds}.`
}

function between([low, high]: readonly [number, number]): string {
  return `between ${Math.round(100 * low)}% and ${Math.round(100 * high)}%`
}

function writtenLines(written: TuneDocument['written'], proposals: readonly TunedProposal[]): readonly string[] {
  const open = proposals.filter(({ yaml }) => yaml === undefined).map(({ guard }) => guard)
  const left = open.length === 0 ? [] : [`Not in a file, but in the program that made it: ${open.join(', ')}.`]
  if (open.length === proposals.length) return left
  if (!written) return [...left, 'Nothing was changed: pawl tune --write writes these lines into pawl.yaml.']
  const kept = written.backup === undefined ? '' : `; the old file is ${written.backup}`
  return [...left, `Written into ${written.path}${kept}.`]
}
