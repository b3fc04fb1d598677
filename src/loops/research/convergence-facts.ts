import { concluded, LOOP } from '../../core/conclude.ts'
import type { Fact } from '../../core/event.ts'
import type { ResearchProgress } from './research-progress.ts'
import type { State } from '../../core/state.ts'
import { analyseGaps } from './analyse-gaps.ts'
import { answeredQuestions } from './answered-questions.ts'
import { measureConvergence } from './measure-convergence.ts'
import { reconcileGaps } from './reconcile-gaps.ts'
import { iterationsMaxOf, researchIterationOf, researchOf } from './research-iteration.ts'
import type { WholeResearchSettings } from './research-settings.ts'

/** What an iteration comes to: how far the questions are answered, which gaps are open or closed, and whether it has converged. */
export function convergenceFacts(settings: WholeResearchSettings, state: State): readonly Fact[] {
  const before = researchOf(state)
  const iteration = researchIterationOf(state)
  const { facts, research } = standingFacts(settings, state, before, iteration)
  const measured = measureConvergence({
    rules: settings,
    research,
    iteration,
    iterationsMax: iterationsMaxOf(settings, state),
    durationMs: state.totals.activeMs - state.current.totalsAtStart.activeMs,
  })
  return [...facts, concluded(state, LOOP, 'convergence.measured', measured)]
}

/** Questions and gaps as they are now, and the facts that say what changed. */
export function standingFacts(
  settings: WholeResearchSettings,
  state: State,
  before: ResearchProgress,
  iteration: number,
): { readonly facts: readonly Fact[]; readonly research: ResearchProgress } {
  const questions = answeredQuestions(before, settings)
  const changed = questions.filter((question, index) => JSON.stringify(question) !== JSON.stringify(before.questions[index]))
  const answered = { ...before, questions }
  const { found, closed, open } = reconcileGaps(
    before,
    analyseGaps({ prompt: settings.goal, rules: settings, research: answered }),
    iteration,
  )
  const facts = [
    ...changed.map(({ id, status, findings, said, missing }) =>
      concluded(state, LOOP, 'question.answered', {
        id,
        iteration,
        status,
        findings,
        ...(said === undefined ? {} : { said }),
        ...(missing === undefined ? {} : { missing }),
      }),
    ),
    ...closed.map((gap) => concluded(state, LOOP, 'gap.closed', { gap, iteration, reason: 'it is no longer there' })),
    ...found.map(({ gap, seen }) => concluded(state, LOOP, 'gap.found', { gap, iteration, seen })),
  ]
  return { facts, research: { ...answered, gaps: open } }
}
