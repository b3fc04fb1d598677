import { bestWords } from './best-words.ts'
import { oddsNowWords } from './odds-now.ts'
import { questionLines } from './question-lines.ts'
import { decidingTrips, factsWords, tripLines } from './reason-lines.ts'
import { goesOnIn, type RunView } from './run-view.ts'
import type { Screen } from './screen.ts'
import { nextCommand, paintedStatus } from './status-words.ts'
import { fitted, labelled, textWidth, wrapped } from './text-layout.ts'
import { usedWords } from './used-words.ts'

/**
 * What a run that did not succeed leaves on the screen: which rule, on what evidence, what would have let it go on, the best
 * iteration so far and how to restore it, and the options to answer with. Plain lines between two rules, at most 80 columns wide.
 */
export function stopCardLines(view: RunView, screen: Screen): string[] {
  const columns = Math.min(screen.columns, COLUMNS_MAX)
  const card: Screen = { columns, paint: screen.paint }
  const wayOn = view.question ? questionLines(view.run, view.question, card, goesOnIn(view)) : resumeLines(view, card)
  const sections = [reasons(view, card), standing(view, card), [...wayOn, `Look        pawl show ${view.run}`]]
  const body = sections.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]))
  return [header(view, card), ...body, screen.paint('dim', RULE.repeat(columns))]
}

const COLUMNS_MAX = 80
const RULE = '─'

function header({ run, status }: RunView, { columns, paint }: Screen): string {
  const title = fitted(`${run}: ${status}`, columns - 8)
  const rest = Math.max(0, columns - textWidth(title) - 4)
  return `${paint('dim', RULE.repeat(2))} ${paintedStatus(status, title, { paint })} ${paint('dim', RULE.repeat(rest))}`
}

/** The rules that decided; where none did, the message and the facts it rests on. */
function reasons(view: RunView, card: Screen): readonly string[] {
  const decision = view.decisions.at(-1)
  const isDecided = (view.status === 'escalated' || view.status === 'stopped') && decision !== undefined
  const tripped = isDecided ? decision.trips.filter((trip) => trip.severity === 'trip' && !trip.isWaived) : []
  const hasPassed = view.iterations.at(-1)?.verdict?.passed === true
  const trips = decidingTrips(tripped, decision?.message ?? '', hasPassed)
  if (trips.length > 0)
    return trips.flatMap((trip, index) => (index === 0 ? tripLines(trip, card) : ['', ...tripLines(trip, card)]))
  const facts = isDecided ? factsWords(decision.basis) : ''
  return [...wrapped(view.message, card.columns), ...(facts === '' ? [] : labelled('Evidence', facts, card.columns))]
}

function standing(view: RunView, { columns, paint }: Screen): readonly string[] {
  const { best, question } = view
  const hints = (view.hints ?? []).flatMap((hint) => labelled('Note', hint, columns))
  const spent = [...labelled('Used', usedWords(view), columns), ...hints, ...putBackLines(view, columns, paint)]
  const odds = oddsNowWords(view)
  const chances = odds === undefined ? [] : labelled('Odds', odds, columns)
  if (!best) return [...spent, ...chances]
  const isTold = question?.answer === undefined && (question?.steps ?? []).some((step) => step.endsWith(best.command))
  const command = isTold || best.isInReview ? [] : [`            ${paint('cyan', best.command)}`]
  return [...spent, ...chances, ...labelled('Best so far', bestWords(best), columns), ...command]
}

/** Who was only to look and wrote all the same is named; the newest of those trees can be had back. */
function putBackLines({ saved }: RunView, columns: number, paint: Screen['paint']): readonly string[] {
  const written = saved.filter(({ by }) => by !== undefined)
  const last = written.at(-1)
  if (!last) return []
  const who = [...new Set(written.map(({ by }) => `the ${by}`))].join(' and ')
  const times = written.length === 1 ? '' : ` ${written.length} times`
  const words = `${who} changed files${times}, although only asked to look; they were put back, and kept:`
  return [...labelled('Put back', words, columns), `            ${paint('cyan', last.command)}`]
}

function resumeLines({ run, status }: RunView, { paint }: Screen): readonly string[] {
  const command = nextCommand(run, status, false, false)
  return command === undefined ? [] : [`Go on       ${paint('cyan', command)}`]
}
