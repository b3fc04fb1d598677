import { duration, iterationNoun, money } from '../../../core/wording.ts'
import { oddsWords } from '../../../core/odds/odds-words.ts'
import { bestWords } from './best-words.ts'
import { questionLines } from './question-lines.ts'
import { factsWords, tripLines } from './reason-lines.ts'
import { goesOnIn, type RunView } from './run-view.ts'
import type { Screen } from './screen.ts'
import { nextCommand, paintedStatus } from './status-words.ts'
import { fitted, labelled, textWidth, wrapped } from './text-layout.ts'

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
  const trips = isDecided ? decision.trips.filter((trip) => trip.severity === 'trip' && !trip.isWaived) : []
  if (trips.length > 0)
    return trips.flatMap((trip, index) => (index === 0 ? tripLines(trip, card) : ['', ...tripLines(trip, card)]))
  const facts = isDecided ? factsWords(decision.basis) : ''
  return [...wrapped(view.message, card.columns), ...(facts === '' ? [] : labelled('Evidence', facts, card.columns))]
}

function standing(view: RunView, { columns, paint }: Screen): readonly string[] {
  const { best, iterationsDone, totals, question, odds } = view
  const cost = totals.costUsd > 0 ? `, ${money(totals.costUsd)}` : ''
  const spent = labelled('Used', `${iterationNoun(iterationsDone)}, ${duration(totals.activeMs)} at work${cost}`, columns)
  const chances = odds ? labelled('Odds', oddsWords(odds), columns) : []
  if (!best) return [...spent, ...chances]
  const isTold = question?.answer === undefined && (question?.steps ?? []).some((step) => step.endsWith(best.command))
  const command = isTold ? [] : [`            ${paint('cyan', best.command)}`]
  return [...spent, ...chances, ...labelled('Best so far', bestWords(best), columns), ...command]
}

function resumeLines({ run, status }: RunView, { paint }: Screen): readonly string[] {
  const command = nextCommand(run, status, false, false)
  return command === undefined ? [] : [`Go on       ${paint('cyan', command)}`]
}
