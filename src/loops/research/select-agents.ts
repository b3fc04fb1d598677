import { IMPACT_RANK } from './finding.ts'
import type { AgentAssignment, ChosenStrategy, Gap, ResearchProgress } from './progress.ts'
import type { Effectiveness } from './settings.ts'
import { extractQuestions } from './questions.ts'
import type { GapKind, GapPriority, ModelClass, ResearchRules, SpecialistTask, StrategyName } from './rules.ts'
import { significantWords, wordIn } from './terms.ts'
import { counted, shortened } from '../../core/wording.ts'
import type { RelevantFile } from './coverage.ts'

/** Who is sent in an iteration, and what has to wait. */
export interface Selection {
  readonly assignments: readonly AgentAssignment[]
  readonly deferred: readonly { readonly gap: string; readonly reason: string }[]
}

export interface SelectionCase {
  readonly prompt: string
  readonly rules: ResearchRules
  readonly research: Pick<ResearchProgress, 'gaps' | 'strategy' | 'findings'>
  /** How often each specialist closed a kind of gap, in runs before and in this one. Default: nothing is known. */
  readonly effectiveness?: readonly Effectiveness[]
  /** Iterations that are left, the one that is about to begin included. */
  readonly iterationsRemaining: number
}

/** The cohort of the first iteration: the strategy's roles, without a gap. */
export function firstCohort({ rules, research }: Pick<SelectionCase, 'rules' | 'research'>): readonly AgentAssignment[] {
  const { roles = [] } = research.strategy ?? {}
  return roles.map((role, index) => ({
    ...person(rules, role),
    index,
    description: `First look as ${rules.roles[role]?.name ?? role}`,
    focus: 'The questions, from the point of view of your specialty.',
    gaps: [],
  }))
}

/** One wide look when nothing is actionable and still it has not converged. */
export function forcedExploration(rules: ResearchRules): readonly AgentAssignment[] {
  const { role } = rules.specialists.forced
  const focus = 'Whatever earlier iterations may have overlooked.'
  return [{ ...person(rules, role), index: 0, description: 'Broad exploration', focus, gaps: [], isForced: true }]
}

/** Gaps that an agent can still be sent for. */
export function actionableGaps(gaps: readonly Gap[], { gapAttemptsMax }: ResearchRules): readonly Gap[] {
  return gaps.filter(({ attempts }) => attempts < gapAttemptsMax)
}

/**
 * From gaps to specialists. With two iterations or more left the priorities 1 and 2 are meant, with one only 1; what they leave free is
 * filled downward, so no slot is idle while a gap waits. Within a priority, what is nearer to the question comes first. Gaps of one kind go
 * to one agent together.
 */
export function selectAgents({ prompt, rules, research, iterationsRemaining, effectiveness = [] }: SelectionCase): Selection {
  const words = new Set(significantWords(prompt))
  const relevance = ({ area }: Gap): number => significantWords(area).filter((word) => words.has(word)).length
  const impact = ({ finding }: Gap): number =>
    IMPACT_RANK[research.findings.find(({ id }) => id === finding)?.impact ?? 'important']
  const ranked = actionableGaps(research.gaps, rules).toSorted(
    (one, other) =>
      // What was tried in vain waits behind what nobody has tried.
      one.priority + one.attempts - (other.priority + other.attempts) ||
      one.priority - other.priority ||
      relevance(other) - relevance(one) ||
      impact(one) - impact(other) ||
      one.seq - other.seq,
  )
  const bundles = bundled(ranked, rules, effectiveness)
  const sent = bundles.slice(0, rules.agentsMax)
  const meant: GapPriority = iterationsRemaining >= 2 ? 2 : 1
  return {
    assignments: sent.map((bundle, index) => assignmentFor(bundle, index, rules)),
    deferred: bundles.slice(rules.agentsMax).flatMap(({ gaps }) =>
      gaps.map(({ id, priority }) => ({
        gap: id,
        reason:
          priority > meant
            ? `priority ${priority} waits while ${iterationsRemaining} iterations remain`
            : `all ${rules.agentsMax} agents are sent for more urgent gaps`,
      })),
    ),
  }
}

interface Bundle {
  readonly task: SpecialistTask
  readonly role: string
  readonly gaps: Gap[]
}

/** Alike gaps share an agent; a question, a conflict and a coverage gap have one of their own. */
function bundled(gaps: readonly Gap[], rules: ResearchRules, effectiveness: readonly Effectiveness[]): readonly Bundle[] {
  const bundles: Bundle[] = []
  for (const gap of gaps) {
    const task = taskOf(gap)
    const role = roleFor(gap, rules.specialists[task].role, rules, effectiveness)
    const isShared = gap.finding !== undefined || gap.kind === 'missing_context'
    const open = isShared
      ? bundles.find((each) => each.task === task && each.role === role && each.gaps.length < rules.gapsPerAgentMax)
      : undefined
    if (open) open.gaps.push(gap)
    else bundles.push({ task, role, gaps: [gap] })
  }
  return bundles
}

/** The row of the selection table that a gap belongs to. */
export function taskOf({ kind, confidenceReason = 'missing_evidence' }: Pick<Gap, 'kind' | 'confidenceReason'>): SpecialistTask {
  return kind === 'confidence_gap' ? `confidence_gap:${confidenceReason}` : kind
}

/**
 * A question about security or performance could go to that specialist or to the usual one: whoever closed more of them is sent, and the
 * specialist where that is not known.
 */
function roleFor({ kind, area }: Gap, usual: string, { roles }: ResearchRules, effectiveness: readonly Effectiveness[]): string {
  if (kind !== 'unanswered_critical_questions') return usual
  const special = ['security', 'performance'].filter((role) => (roles[role]?.keywords ?? []).some((word) => wordIn(area, word)))
  const rate = (role: string): number => closingRate(effectiveness, kind, role)
  return [...special, usual].reduce((best, role) => (rate(role) > rate(best) ? role : best))
}

function assignmentFor({ task, role, gaps }: Bundle, index: number, rules: ResearchRules): AgentAssignment {
  const [main] = gaps as [Gap]
  const rule = rules.specialists[task]
  const who = person(rules, role)
  const isOwn = role === rule.role
  const model = !isOwn ? who.model : rule.model === 'auto' ? classFor(main) : rule.model
  const modelName = (isOwn ? rule.modelNames?.[model] : undefined) ?? rules.roles[role]?.modelNames?.[model]
  return {
    ...who,
    model,
    ...(modelName === undefined ? {} : { modelName }),
    index,
    description: shortened(`${TITLES[main.kind]}: ${main.area}`, DESCRIPTION_LENGTH_MAX),
    focus: gaps
      .map(({ reason, area }) => `${shortened(area, AREA_LENGTH_MAX)} (${shortened(reason, AREA_LENGTH_MAX)})`)
      .join('\n'),
    gapKind: main.kind,
    priority: main.priority,
    gaps: gaps.map(({ id }) => id),
  }
}

/** Whether and why take more thought than where and how; so does what takes many words to ask. */
function classFor({ area }: Gap): ModelClass {
  const kind = extractQuestions(area)[0]?.kind
  const isLong = area.split(/\s+/).length > WORDS_MANY
  return kind === 'feasibility' || kind === 'rationale' || isLong ? 'deep' : 'fast'
}

const WORDS_MANY = 30

const DESCRIPTION_LENGTH_MAX = 80
const AREA_LENGTH_MAX = 300

const TITLES: Readonly<Record<Gap['kind'], string>> = {
  coverage_gap: 'Explore missing files',
  confidence_gap: 'Evidence',
  conflicting_findings: 'Resolve conflict',
  missing_context: 'Trace context',
  unanswered_critical_questions: 'Answer',
  pattern_uncertainty: 'Pattern',
  security_concern: 'Security',
  performance_concern: 'Performance',
}

/** The specialist by its role; one that the configuration does not describe is played by its bare name. */
function person({ roles }: ResearchRules, role: string): Pick<AgentAssignment, 'role' | 'subagentType' | 'model' | 'modelName'> {
  const { subagentType = role, model = 'fast', modelNames = {} } = roles[role] ?? {}
  const modelName = modelNames[model]
  return { role, subagentType, model, ...(modelName === undefined ? {} : { modelName }) }
}

/**
 * How often a specialist closes a kind of gap, as far as a few cases can say: one half where it was sent fewer than three times. Some are
 * closed by what others found, so it is never above 1.
 */
export function closingRate(known: readonly Effectiveness[], kind: GapKind, role: string): number {
  const { tried = 0, closed = 0 } = known.find((each) => each.kind === kind && each.role === role) ?? {}
  return tried < TRIED_MIN ? 0.5 : Math.min(1, (closed + 1) / (tried + 2))
}

const TRIED_MIN = 3

/** The figures of several runs as one, by kind and role. */
export function addedUp(runs: readonly (readonly Effectiveness[])[]): readonly Effectiveness[] {
  const sums = new Map<string, Effectiveness>()
  for (const { kind, role, tried, closed } of runs.flat()) {
    const key = `${kind} ${role}`
    const before = sums.get(key) ?? { kind, role, tried: 0, closed: 0 }
    sums.set(key, { kind, role, tried: before.tried + tried, closed: before.closed + closed })
  }
  return [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum)
}

/** How wide to look, and who begins: by the configuration, by the words of the question, else by how many files are relevant. */
export function chooseStrategy(prompt: string, files: readonly RelevantFile[], rules: ResearchRules): ChosenStrategy {
  const { strategy, reason } = chosen(prompt, files, rules)
  const rule = rules.strategies[strategy]
  return {
    strategy,
    iterationsMax: rules.iterationsMax ?? Math.min(rule.iterationsMax, rules.iterationsCap ?? rule.iterationsMax),
    filesMax: rule.filesMax,
    roles: cohortOf(prompt, rules, rule.roles),
    reason,
  }
}

function chosen(
  prompt: string,
  files: readonly RelevantFile[],
  { strategy, strategies }: ResearchRules,
): { readonly strategy: StrategyName; readonly reason: string } {
  if (strategy !== 'auto') return { strategy, reason: 'it is configured' }
  for (const name of BY_WORDS) {
    const word = strategies[name].words.find((each) => wordIn(prompt, each))
    if (word !== undefined) return { strategy: name, reason: `the question says "${word}"` }
  }
  const fitting = BY_FILES.find((name) => files.length <= strategies[name].relevantFilesMax) ?? 'comprehensive'
  return { strategy: fitting, reason: `${counted(files.length, 'file')} ${files.length === 1 ? 'seems' : 'seem'} relevant` }
}

/** Who asks for everything is not narrowed down by a "where is". */
const BY_WORDS: readonly StrategyName[] = ['comprehensive', 'broad', 'narrow']
const BY_FILES: readonly StrategyName[] = ['narrow', 'broad', 'comprehensive']

/** Those that always belong to it, then those that the question calls for, then the others of the strategy; at most `agentsMax`. One that is configured is taken whole. */
function cohortOf(prompt: string, { cohort, roles, agentsMax }: ResearchRules, offered: readonly string[]): readonly string[] {
  if (cohort !== undefined) return cohort
  const isCalled = (role: string): boolean => (roles[role]?.keywords ?? []).some((keyword) => wordIn(prompt, keyword))
  const rank = (role: string): number => (roles[role]?.isAlwaysIncluded ? 0 : isCalled(role) ? 1 : 2)
  const always = Object.keys(roles).filter((role) => roles[role]?.isAlwaysIncluded === true && !offered.includes(role))
  return [...always, ...offered].toSorted((one, other) => rank(one) - rank(other)).slice(0, agentsMax)
}
