import { type Effect, effectKey, type EffectOf } from '../../core/effect.ts'
import type { EffectKey } from '../../core/event-data.ts'
import { type AssignmentProgress, researchOf, type ResearchProgress, workKey } from './progress.ts'
import { isHidden, isVerified } from './finding.ts'
import type { AnswerForm } from './events.ts'
import { termsOf } from './terms.ts'
import { isDone, type State } from '../../core/state.ts'
import { hasJudge, JUDGE, pendingIn, unjudgedStatements, wantedMore } from './judging.ts'
import { evidenceJudgePrompt, judgePrompt, promptFor, questionsPrompt } from './prompts.ts'
import { taskOf } from './select-agents.ts'
import type { WholeResearchSettings } from './settings.ts'

/**
 * Before any work: a look at the files, the questions where an agent finds them, an estimate of the relevant files. In an iteration: up to
 * three specialists at once and the reading of their answers, a look whether they left the files alone, the citations and the estimate, a
 * judge where there is one.
 */
export function researchEffects(settings: WholeResearchSettings, state: State): readonly Effect[] {
  const { current } = state
  const research = researchOf(state)
  if (current.number === 0) return firstEffects(settings, state, research)
  const open = research.assignments.filter(({ status }) => status === 'at work')
  if (open.length > 0) return open.map((assignment) => specialistEffect(settings, state, research, assignment))
  const left = leftAlone(state, research, 0)
  if (left.length > 0 || !isDone(state, examineKey(state))) return left.length > 0 ? left : [examine(settings, state, research)]
  if (!isJudgingSettled(state)) return judgingEffects(settings, state, research)
  if (!isJudgeSettled(settings, state)) return workThenAnswer(state, judgeWork(settings, state, research), 'verdicts')
  return leftByJudges(state)
}

/** What is to be done so that the files are as they were before a judge worked. */
export function leftByJudges(state: State): readonly Effect[] {
  return isAnyJudgeAsked(state) ? leftAlone(state, researchOf(state), 1) : []
}

/** Whether a judge worked in this iteration, on pairs or on statements. */
function isAnyJudgeAsked({ current }: State): boolean {
  return current.work.some(({ key }) => key.split('/')[1]?.split('.')[0] === JUDGE)
}

/** The judge is asked about statements at most three times in an iteration: again after an answer that can't be read, once more with the lines that it asked for. */
const ROUNDS = { first: `${JUDGE}.answers`, again: `${JUDGE}.answers.again`, more: `${JUDGE}.answers.more` } as const

type Round = keyof typeof ROUNDS

function roundKey({ current }: State, round: Round): EffectKey {
  return effectKey(current.number, ROUNDS[round])
}

function evidenceKey({ current }: State, round: number): EffectKey {
  return effectKey(current.number, 'evidence', round)
}

/** What is to be done next so that somebody other than the authors judges what they say; `undefined` if nothing is. */
function judgingStep(state: State): { readonly read: number } | { readonly round: Round } | undefined {
  const research = researchOf(state)
  const { judging, findings } = research
  if (!isDone(state, evidenceKey(state, 0))) return unjudgedStatements(research).length > 0 ? { read: 0 } : undefined
  if (!judging || judging.isDiscarded || !hasJudge(state)) return undefined
  const isOpen = pendingIn(judging, findings).length > 0
  if (isDone(state, evidenceKey(state, 1))) return isOpen && !isAsked(state, ROUNDS.more) ? { round: 'more' } : undefined
  if (!isAsked(state, ROUNDS.first)) return isOpen ? { round: 'first' } : undefined
  if (!judging.answer) {
    const isUnread = judging.errors !== undefined && !isAsked(state, ROUNDS.again)
    return isUnread ? { round: 'again' } : undefined
  }
  return wantedMore(research).length > 0 ? { read: 1 } : undefined
}

/** Whether everything that can be judged now is, or can't be. */
export function isJudgingSettled(state: State): boolean {
  return !researchOf(state).integrated || judgingStep(state) === undefined
}

function judgingEffects(settings: WholeResearchSettings, state: State, research: ResearchProgress): readonly Effect[] {
  const step = judgingStep(state)
  const { number: iteration } = state.current
  if (!step) return []
  if ('read' in step) {
    const statements = step.read === 0 ? unjudgedStatements(research) : wantedMore(research)
    const key = evidenceKey(state, step.read)
    return [{ kind: 'evidence', key, iteration, goal: settings.goal, statements, isForJudge: hasJudge(state) }]
  }
  const key = roundKey(state, step.round)
  const brief = evidenceJudgePrompt(settings.goal, research)
  return workThenAnswer(state, { kind: 'work', key, iteration, role: `deep:${JUDGE}`, brief }, 'judgements')
}

/** The look at the files in the present iteration. */
export function observeKey({ current }: State, round = 0): EffectKey {
  return effectKey(current.number, 'observe', round)
}

/** Verifying and estimating in the present iteration. */
export function examineKey({ current }: State): EffectKey {
  return effectKey(current.number, 'examine')
}

/** Whether every specialist of the iteration has answered or failed, and the files are as they were. */
export function isSettled(state: State): boolean {
  const research = researchOf(state)
  return research.assignments.every(({ status }) => status !== 'at work') && leftAlone(state, research, 0).length === 0
}

/** Whether the questions are known, or nobody is asked for them, or whoever was asked could not say. */
export function questionsSettled({ questionsBy }: WholeResearchSettings, state: State): boolean {
  return questionsBy === 'rules' || isAsked(state, QUESTIONS)
}

/** Whether there is nothing for a judge to decide, or it has spoken, or it could not. */
export function isJudgeSettled({ conflicts }: WholeResearchSettings, state: State): boolean {
  const { nominations, integrated } = researchOf(state)
  if (!conflicts.judge || !integrated) return !conflicts.judge
  return isJudgeAsked(state) || nominations.every(({ status }) => status !== 'needs review')
}

const QUESTIONS = 'questions'

function isJudgeAsked(state: State): boolean {
  return isAsked(state, JUDGE)
}

/** Asked, and answered in whatever way: read, refused, or failed. */
function isAsked(state: State, role: string): boolean {
  const key = effectKey(state.current.number, role)
  const isFailed = state.current.work.some((work) => work.key === key && work.failed !== undefined)
  return isFailed || isDone(state, answerKey(key))
}

function firstEffects(settings: WholeResearchSettings, state: State, research: ResearchProgress): readonly Effect[] {
  const observe: Effect = { kind: 'observe', key: observeKey(state), iteration: 0, by: 'agent' }
  if (!isDone(state, observe.key)) return [observe]
  if (!questionsSettled(settings, state)) {
    const brief = questionsPrompt(settings.goal)
    const work = { kind: 'work', key: effectKey(0, QUESTIONS), iteration: 0, role: `deep:${QUESTIONS}`, brief } as const
    return workThenAnswer(state, work, 'questions')
  }
  return isDone(state, examineKey(state)) ? [] : [examine(settings, state, research)]
}

function judgeWork(settings: WholeResearchSettings, state: State, research: ResearchProgress): EffectOf<'work'> {
  const iteration = state.current.number
  const brief = judgePrompt(settings.goal, research)
  return { kind: 'work', key: effectKey(iteration, JUDGE), iteration, role: `deep:${JUDGE}`, brief }
}

function workThenAnswer(state: State, work: EffectOf<'work'>, form: AnswerForm): readonly Effect[] {
  if (!isDone(state, work.key)) return [work]
  return [{ kind: 'answer', key: answerKey(work.key), iteration: work.iteration, work: work.key, form }]
}

function answerKey(work: EffectKey): EffectKey {
  return `${work}/answer`
}

/** The specialist at work, or the reading of what it answered. */
function specialistEffect(
  settings: WholeResearchSettings,
  state: State,
  research: ResearchProgress,
  assignment: AssignmentProgress,
): Effect {
  const { number: iteration } = state.current
  const { role, model, index } = assignment
  const key = workKey(research.iteration, assignment)
  if (isDone(state, key)) return { kind: 'answer', key: answerKey(key), iteration, work: key, form: 'findings', index }
  const deadlineMs = timeoutOf(settings, research, assignment)
  return {
    kind: 'work',
    key,
    iteration,
    role: `${model}:${role}`,
    brief: promptFor(settings, state, assignment),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  }
}

function timeoutOf(
  { roles, specialists, iterationTimeoutMs }: WholeResearchSettings,
  { gaps }: ResearchProgress,
  { role, gaps: [id] }: AssignmentProgress,
): number | undefined {
  const gap = gaps.find((each) => each.id === id)
  const own = gap ? specialists[taskOf(gap)].timeoutMs : undefined
  const limits = [own ?? roles[role]?.timeoutMs, iterationTimeoutMs].filter((limit) => limit !== undefined)
  return limits.length === 0 ? undefined : Math.min(...limits)
}

/** Research changes nothing: after agents worked the files are looked at, and what they changed is saved and put back. */
function leftAlone(state: State, { clean }: ResearchProgress, round: number): readonly Effect[] {
  const { number: iteration } = state.current
  const observe: Effect = { kind: 'observe', key: observeKey(state, round), iteration, by: 'agent' }
  if (!isDone(state, observe.key)) return [observe]
  const key = effectKey(iteration, 'put-back', round)
  // What was put back once may be changed again by a judge, whose round is another one.
  if (!clean || state.tree?.tree === clean.tree || isDone(state, key)) return []
  return [{ kind: 'restore', key, iteration, snapshot: clean.snapshot }]
}

/** All citations that nobody has verified: those of new answers, and those of findings whose files were changed. */
function examine(settings: WholeResearchSettings, state: State, research: ResearchProgress): Effect {
  const fresh = research.answers.flatMap(({ index, citations }) =>
    citations.map(({ file, line, snippet }, citation) => ({ file, line, snippet, of: { answer: index, citation } })),
  )
  const stale = research.findings.flatMap(({ id, citations }) =>
    citations.flatMap(({ file, line, snippet, status }, citation) =>
      status === 'unverified' ? [{ file, line, snippet, of: { finding: id, citation } }] : [],
    ),
  )
  const cited = research.findings.flatMap(({ citations }) => citations.filter(isVerified).map(({ file }) => file))
  return {
    kind: 'examine',
    key: examineKey(state),
    iteration: state.current.number,
    // A secret in the quoted words was hidden: they cannot be in the file as they are, and that refutes nothing.
    citations: [...fresh, ...stale].filter((citation) => !isHidden(citation)),
    terms: termsOf(settings.goal),
    cited: [...new Set(cited)],
    filesMax: research.strategy?.filesMax ?? settings.strategies.comprehensive.filesMax,
    goal: settings.goal,
    questions: research.questions.map(({ id, text, kind }) => ({ id, text, kind })),
  }
}
