import type { Event } from '../core/event.ts'
import type { State } from '../core/state.ts'
import { eventWords } from './event-words.ts'
import type { Screen } from './screen.ts'
import { fitted, oneLine, padded } from './text-layout.ts'
import { dateAndTime } from './times.ts'

/** One line of `pawl log`: seq, time, type, by whom, and the telling part in words, cut at the width of the screen. `after` is the state after it. */
export function eventLine(event: Event, after: State, { columns, paint }: Screen): string {
  const { role, name } = event.by
  const by = fitted(name === undefined || name === role ? role : `${role} ${name}`, BY_WIDTH)
  const time = dateAndTime(event.at).slice(columns < COLUMNS_FOR_DATE ? DATE_LENGTH : YEAR_LENGTH)
  const head = [padded(String(event.seq), SEQ_WIDTH, 'right'), time]
  const used = SEQ_WIDTH + time.length + TYPE_WIDTH + BY_WIDTH + 8
  const told = eventWords(event, after)
  const words = columns === Infinity ? oneLine(told) : fitted(told, Math.max(columns - used, WORDS_WIDTH_MIN))
  const type = padded(event.type, TYPE_WIDTH)
  const colour = colourOf(event)
  return [paint('dim', head.join('  ')), colour ? paint(colour, type) : type, padded(by, BY_WIDTH), words].join('  ').trimEnd()
}

const SEQ_WIDTH = 5
const TYPE_WIDTH = 19
const BY_WIDTH = 14
/** On a narrow screen the day is left out, for the words to have more room. */
const COLUMNS_FOR_DATE = 120
const YEAR_LENGTH = '2026-'.length
const DATE_LENGTH = '2026-11-03 '.length
const WORDS_WIDTH_MIN = 24

function colourOf({ type }: Event): 'green' | 'red' | 'yellow' | undefined {
  if (type === 'check.passed' || type === 'review.approved' || type === 'item.finished' || type === 'run.completed')
    return 'green'
  if (
    type === 'check.failed' ||
    type === 'review.rejected' ||
    type === 'work.failed' ||
    type === 'check.errored' ||
    type === 'run.aborted' ||
    type === 'run.stopped'
  )
    return 'red'
  if (type.startsWith('guard.') || type === 'budget.warned' || type === 'escalation.raised') return 'yellow'
  return undefined
}
