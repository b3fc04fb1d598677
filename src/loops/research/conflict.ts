import type { Conflict, ConflictResolution, Nomination, PendingAnswer, ResearchProgress } from './progress.ts'
import { comparableClaim, type ComparableClaim, type Finding, idFrom, isLive, isVerified, scopesOf } from './finding.ts'
import { type FindingIndex, indexFinding, type Indexed, type Known, ownWords, wordCosine } from './finding-index.ts'
import type { ResearchRules } from './rules.ts'
import type { AnswerResolution } from './answer.ts'

/** How many pairs are kept for review. */
const NOMINATIONS_MAX = 100

/** A finding that claims otherwise, and what each says. */
export interface Contradiction {
  readonly finding: string
  readonly value: string
  readonly claim: ComparableClaim
}

/** Who claimed what first, for each subject, attribute and scope. */
export interface ClaimIndex {
  /**
   * The first finding that claims another value under the same key, or the opposite of the same value. Only the first: a hundred values of
   * one thing are ninety-nine conflicts, and not five thousand.
   */
  against(finding: string, claim: ComparableClaim): Contradiction | undefined
  add(finding: string, claim: ComparableClaim): void
}

interface Said {
  readonly finding: string
  readonly value: string
  readonly said: string
}

/** An empty index. */
function claimIndex(): ClaimIndex {
  const positive = new Map<string, Said>()
  const positiveValues = new Map<string, Said>()
  const negativeValues = new Map<string, Said>()
  return {
    against(finding, claim) {
      const { key, value, isNegative } = claim
      const opposite = (isNegative ? positiveValues : negativeValues).get(`${key}=${value}`)
      const first = isNegative ? undefined : positive.get(key)
      const other = [opposite, first && first.value !== value ? first : undefined].find(
        (each) => each && each.finding !== finding,
      )
      if (!other) return undefined
      return { finding: other.finding, value: other === opposite && !isNegative ? `not ${other.said}` : other.said, claim }
    },
    add(finding, { key, value, said: words, isNegative }) {
      const said = { finding, value, said: words }
      const values = isNegative ? negativeValues : positiveValues
      if (!values.has(`${key}=${value}`)) values.set(`${key}=${value}`, said)
      if (!isNegative && !positive.has(key)) positive.set(key, said)
    },
  }
}

interface Look {
  readonly iteration: number
  readonly rules: ResearchRules
  readonly index: FindingIndex
}

/**
 * What contradicts what, among the findings that something happened to and all others: structured claims decide, similarity only nominates.
 * What was raised or nominated before is not told again.
 */
export function conflictsAmong(
  known: Known,
  all: readonly Finding[],
  touched: readonly Finding[],
  look: Look,
): { readonly conflicts: readonly Conflict[]; readonly nominations: readonly Nomination[] } {
  const byId = new Map(all.map((finding) => [finding.id, finding]))
  const pairs = new Set(known.conflicts.map(({ sides }) => pairOf(sides[0].finding, sides[1].finding)))
  const conflicts: Conflict[] = []
  const raise = (one: Finding, other: Finding, more: Pick<Conflict, 'topic' | 'basis' | 'sides'> & { scope?: string }): void => {
    const pair = pairOf(one.id, other.id)
    if (pairs.has(pair) || known.conflicts.length + conflicts.length >= CONFLICTS_MAX) return
    pairs.add(pair)
    const rootCause = rootCauseOf(one, other)
    const id = idFrom('conflict', known.lastIds.conflict + conflicts.length + 1)
    conflicts.push({ id, ...more, iterationRaised: look.iteration, ...(rootCause === undefined ? {} : { rootCause }) })
  }
  raiseByClaims(all, touched, byId, look.index, raise)
  raiseByCosine(all, touched, look.rules, raise)
  const nominations = nominate(known, touched, byId, pairs, look)
  return { conflicts, nominations }
}

/** How many conflicts a run keeps. */
const CONFLICTS_MAX = 200

function pairOf(one: string, other: string): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`
}

type Raise = (
  one: Finding,
  other: Finding,
  more: Pick<Conflict, 'topic' | 'basis' | 'sides'> & { readonly scope?: string },
) => void

function raiseByClaims(
  all: readonly Finding[],
  touched: readonly Finding[],
  byId: ReadonlyMap<string, Finding>,
  index: FindingIndex,
  raise: Raise,
): void {
  const isTouched = new Set(touched.map(({ id }) => id))
  const claims = claimIndex()
  // What nobody touched comes first: it was there before.
  const inOrder = [...all.filter(({ id }) => !isTouched.has(id)), ...touched]
  for (const finding of inOrder) {
    if (!isLive(finding)) continue
    for (const comparable of index.entry(finding.id)?.claims ?? []) {
      const against = isTouched.has(finding.id) ? claims.against(finding.id, comparable) : undefined
      const other = against && byId.get(against.finding)
      if (against && other) {
        const { topic, scope, said, isNegative } = comparable
        const own = { finding: finding.id, value: isNegative ? `not ${said}` : said }
        const sides = [{ finding: other.id, value: against.value }, own] as const
        raise(other, finding, { topic, basis: 'claims', sides, ...(scope === '' ? {} : { scope }) })
      }
      claims.add(finding.id, comparable)
    }
  }
}

/** The seed's own rule, where it is asked for: the same topic, and words that have little in common. */
function raiseByCosine(all: readonly Finding[], touched: readonly Finding[], { conflicts }: ResearchRules, raise: Raise): void {
  const { cosineMax } = conflicts
  if (cosineMax === undefined) return
  const isTouched = new Set(touched.map(({ id }) => id))
  const lastOf = new Map<string, { readonly finding: Finding; readonly form: Indexed }>()
  for (const finding of [...all.filter(({ id }) => !isTouched.has(id)), ...touched]) {
    if (!isLive(finding)) continue
    const form = indexFinding(finding.id, finding)
    for (const topic of topicsOf(finding)) {
      const before = lastOf.get(topic)
      const isOther = before && before.finding.sourceAgents.every((agent) => !finding.sourceAgents.includes(agent))
      if (before && isOther && isTouched.has(finding.id) && wordCosine(before.form.shape, form.shape) < cosineMax) {
        const sides = [
          { finding: before.finding.id, value: before.finding.description },
          { finding: finding.id, value: finding.description },
        ] as const
        raise(before.finding, finding, { topic, basis: 'cosine', sides })
      }
      lastOf.set(topic, { finding, form })
    }
  }
}

function topicsOf({ category, claims = [] }: Finding): readonly string[] {
  const subjects = claims.map((claim) => comparableClaim(claim).topic)
  return subjects.length > 0 ? [...new Set(subjects)] : [`category ${category.toLowerCase()}`]
}

/** Pairs in free words that are alike but for a number, a negation or a word. */
function nominate(
  known: Known,
  touched: readonly Finding[],
  byId: ReadonlyMap<string, Finding>,
  pairs: ReadonlySet<string>,
  { index }: Look,
): readonly Nomination[] {
  const seen = new Set([...pairs, ...known.nominations.map(({ findings }) => pairOf(...findings))])
  const roomFor = Math.max(0, NOMINATIONS_MAX - known.nominations.length)
  const nominations: Nomination[] = []
  for (const finding of touched) {
    if (nominations.length >= roomFor) break
    if (!isLive(finding)) continue
    const sought = index.entry(finding.id) ?? indexFinding(finding.id, finding)
    for (const { other, similarity } of index.alike(sought)) {
      const pair = pairOf(finding.id, other.id)
      const why = suspicionIn(sought, other)
      const rival = byId.get(other.id) ?? finding
      if (why === undefined || seen.has(pair) || !isLive(rival) || isOneAnswer(finding, rival) || isElsewhere(finding, rival))
        continue
      seen.add(pair)
      const id = idFrom('pair', known.lastIds.pair + nominations.length + 1)
      const findings = pair.split(' ') as [string, string]
      nominations.push({ id, findings, similarity: Math.round(similarity * 1000) / 1000, why, status: 'needs review' })
    }
  }
  return nominations.slice(0, roomFor)
}

/** Who says two alike things in one answer means two things, and does not contradict itself. */
function isOneAnswer(one: Finding, other: Finding): boolean {
  return one.sources.some(({ agent, iteration }) =>
    other.sources.some((source) => source.agent === agent && source.iteration === iteration),
  )
}

/** What production does says nothing about development. */
function isElsewhere(one: Finding, other: Finding): boolean {
  const [scopes, others] = [scopesOf(one), scopesOf(other)]
  return scopes.size > 0 && others.size > 0 && [...scopes].every((scope) => !others.has(scope))
}

/** Why two alike descriptions may contradict each other. Where both state claims, those are compared and nothing is guessed. */
function suspicionIn(one: Indexed, other: Indexed): string | undefined {
  if (one.claims.length > 0 && other.claims.length > 0) return undefined
  if (one.shape.signs !== other.shape.signs) return 'other numbers, or a negation, in nearly the same words'
  const [own, others] = [ownWords(one.shape, other.shape), ownWords(other.shape, one.shape)]
  const isTelling = one.shape.words.size - own.length >= COMMON_WORDS_MIN
  const isSwap =
    isTelling && own.length > 0 && others.length > 0 && own.length <= SWAPPED_WORDS_MAX && others.length <= SWAPPED_WORDS_MAX
  return isSwap ? `"${own.join(' ')}" in place of "${others.join(' ')}"` : undefined
}

const SWAPPED_WORDS_MAX = 2
/** Short sentences of one build differ in a word and contradict nothing. */
const COMMON_WORDS_MIN = 4

/** Other files were looked at: seen from the citations, so it is a guess at the cause and no more. */
function rootCauseOf(one: Finding, other: Finding): string | undefined {
  const [files, others] = [one, other].map(({ citations }) => [...new Set(citations.map(({ file }) => file))]) as [
    string[],
    string[],
  ]
  if (files.length === 0 || others.length === 0 || files.some((file) => others.includes(file))) return undefined
  return `different files were looked at (${files.slice(0, 3).join(', ')} against ${others.slice(0, 3).join(', ')})`
}

export interface Settled {
  readonly resolved: readonly (ConflictResolution & { readonly conflict: string })[]
  /** Resolutions that could not be used, and why. */
  readonly notes: readonly string[]
}

/** What agents say of conflicts they were to settle. A resolution counts only with a citation that was verified. */
export function settleConflicts(
  { conflicts }: Pick<ResearchProgress, 'conflicts'>,
  answers: readonly PendingAnswer[],
  iteration: number,
): Settled {
  const resolved: Settled['resolved'][number][] = []
  const notes: string[] = []
  for (const pending of answers.toSorted((one, other) => one.index - other.index)) {
    const { answer, agent } = pending
    for (const [index, resolution] of answer.resolutions.entries()) {
      const { conflict, keep, reason } = resolution
      const trouble = troubleWith(resolution, conflicts, resolved) ?? evidenceTrouble(pending, index)
      if (trouble === undefined) resolved.push({ conflict, keep, reason, agent, iteration })
      else notes.push(`The resolution of ${conflict} by ${agent} does not count: ${trouble}.`)
    }
  }
  return { resolved, notes }
}

function troubleWith(
  { conflict: id, keep }: AnswerResolution,
  conflicts: ResearchProgress['conflicts'],
  resolved: readonly { readonly conflict: string }[],
): string | undefined {
  const conflict = conflicts.find((each) => each.id === id)
  if (!conflict) return 'there is no such conflict'
  if (conflict.resolution || resolved.some((each) => each.conflict === id)) return 'it was settled before'
  const choices = ['both', 'neither', ...conflict.sides.map(({ finding }) => finding)]
  return choices.includes(keep) ? undefined : `"keep" must be one of ${choices.join(', ')}`
}

function evidenceTrouble({ answer, citations }: PendingAnswer, index: number): string | undefined {
  const of = answer.findings.length + index
  return citations.some((citation) => citation.of === of && isVerified(citation)) ? undefined : 'it has no verified citation'
}
