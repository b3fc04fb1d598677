/** How much a finding matters to the question. */
export type Impact = 'critical' | 'important' | 'informational'

/** The weightiest first. */
export const IMPACT_RANK: Readonly<Record<Impact, number>> = { critical: 0, important: 1, informational: 2 }

/** What verifying a citation came to. Only `exact` and `drifted` are evidence; `unverified` was not looked at yet. */
export type CitationStatus = 'exact' | 'drifted' | 'refuted' | 'unverified'

/** What an agent says its citation shows: the thing itself, something that fits it, or less than that. */
export type EvidenceKind = 'direct' | 'supporting' | 'inferred'

/** A place in a file and the words that are said to stand there. */
export interface CitedPlace {
  /** Path from the root of the codebase, with `/`. */
  readonly file: string
  /** Counted from 1. */
  readonly line: number
  /** Empty where the agent quoted nothing: such a citation is weak. */
  readonly snippet: string
}

/** A citation, who gave it, and what became of verifying it. */
export interface Citation extends CitedPlace {
  readonly status: CitationStatus
  /** Why it was repaired or refuted. */
  readonly note?: string
  readonly agent: string
  /** Who played that agent: the driver and its model. Two roles of one player are one source. Default: the role counts as itself. */
  readonly player?: string
  readonly iteration: number
}

/** A statement that can be compared: the same subject, attribute and scope with another value is a conflict. */
export interface Claim {
  readonly subject: string
  readonly attribute: string
  readonly value: string
  readonly unit?: string
  /** `negative` says that it is not so. Default `positive`. */
  readonly polarity?: 'positive' | 'negative'
  /** Where it holds: an environment, a module, a version. Default: everywhere. */
  readonly scope?: string
}

/** One agent's share in a finding. */
export interface FindingSource {
  readonly agent: string
  readonly iteration: number
  readonly evidence?: EvidenceKind
  /** What the agent says of its own confidence: it can lower a finding's, never raise it. */
  readonly stated?: number
}

/** What somebody other than the author says of a finding: whether the cited lines show it and, with a question, whether it answers that. */
export interface Judgement {
  /** The id of the question that it answers; absent if only the statement was judged. */
  readonly question?: string
  readonly verdict: JudgeWord
  /** `check`: Pawl found the declaration or the call site itself. `agent`: a judge in a fresh context. */
  readonly by: 'check' | 'agent'
  /** In a few words: what the lines show, or why they don't. */
  readonly reason: string
  readonly iteration: number
}

/** What a judge says of a statement and the lines that are cited for it. */
export type JudgeWord = 'supports' | 'contradicts' | 'unrelated'

/** The lines around a cited place, as Pawl read them when it verified the citation. */
export interface Passage {
  readonly file: string
  /** The cited line. */
  readonly line: number
  /** The number of the first of `lines`. */
  readonly from: number
  readonly lines: readonly string[]
  /** The innermost declaration around the place: ``function `loginUser` (lines 4 to 9)``. */
  readonly declaration?: string
  /** Set if the declaration shares no name or term with the statement and its question. */
  readonly isDoubtful?: true
}

/** `verified`: somebody else says that the lines show it. `refuted`: they say that the lines don't. `claimed`: nobody but the author has judged it. */
export type Standing = 'verified' | 'claimed' | 'refuted'

/** The status of a finding, in all or as an answer to one question. */
export function standingOf({ judgements = [] }: Pick<Finding, 'judgements'>, question?: string): Standing {
  const meant = question === undefined ? judgements : judgements.filter((each) => each.question === question)
  if (meant.some(({ verdict }) => verdict === 'supports')) return 'verified'
  return meant.length > 0 ? 'refuted' : 'claimed'
}

/** One term of a finding's confidence; the terms add up to it. */
export interface ConfidencePart {
  readonly part: 'evidence' | 'agents' | 'refuted' | 'conflict' | 'age' | 'imported' | 'claimed'
  readonly value: number
  /** Why, in a few words. */
  readonly why: string
}

/** Something found out, with its evidence. */
export interface Finding {
  /** `finding-001`, counted over the run. */
  readonly id: string
  readonly description: string
  /** 0..1, the sum of its parts. */
  readonly confidence: number
  readonly confidenceParts: readonly ConfidencePart[]
  /** The confidence that a checkpoint says, where it comes from one. Stands while a cited place is there and nothing better is known. */
  readonly imported?: number
  readonly citations: readonly Citation[]
  /** Names of the agents behind it, in order of arrival, each once. */
  readonly sourceAgents: readonly string[]
  readonly sources: readonly FindingSource[]
  readonly iterationDiscovered: number
  /** The last iteration that brought something new to it. */
  readonly iterationConfirmed: number
  readonly impact: Impact
  readonly category: string
  readonly claims?: readonly Claim[]
  /** Ids of the questions it answers, or a part of them. */
  readonly answers?: readonly string[]
  /** What others than its author say of it; absent until somebody has judged it. */
  readonly judgements?: readonly Judgement[]
  /** The lines of its first verified places. */
  readonly passages?: readonly Passage[]
  /** Hashes of other words in which it was also reported, so that they are known again; at most `ALSO_SAID_MAX`. */
  readonly alsoSaid?: readonly string[]
  /** The finding that holds in its place, once a conflict between them was resolved; it no longer counts. */
  readonly supersededBy?: string
  /** Set when a resolved conflict left neither side standing; it no longer counts. */
  readonly isWithdrawn?: true
}

/** Whether a finding still counts: it was not given up for another. */
export function isLive({ supersededBy, isWithdrawn }: Finding): boolean {
  return supersededBy === undefined && !isWithdrawn
}

/** Whether a citation is evidence. */
export function isVerified({ status }: Pick<Citation, 'status'>): boolean {
  return status === 'exact' || status === 'drifted'
}

/** Whether a secret in the quoted words was hidden before they were read: what is left cannot be compared with the file. */
export function isHidden({ snippet }: Pick<CitedPlace, 'snippet'>): boolean {
  return /\[redacted: [^\]\n]{1,100}\]/.test(snippet)
}

/** Whether a finding has any evidence that was verified. */
export function hasEvidence({ citations }: Pick<Finding, 'citations'>): boolean {
  return citations.some(isVerified)
}

/** How many findings a run keeps; those beyond are counted and said, not kept. */
export const FINDINGS_MAX = 5000

/** How many citations one finding keeps; the strongest stay. */
export const CITATIONS_PER_FINDING_MAX = 40

/** How many other wordings of a finding are remembered. */
export const ALSO_SAID_MAX = 100

/** A claim in a form that can be compared. */
export interface ComparableClaim {
  /** Subject, attribute and scope. */
  readonly key: string
  readonly topic: string
  readonly scope: string
  readonly value: string
  /** The value with its unit as the agent said it: `30 minutes`. */
  readonly said: string
  readonly isNegative: boolean
}

/**
 * Brings a claim into one form: case, spaces, units of time and size no longer matter. Where no scope is stated, the environment that the
 * names of the cited files speak of is one: what development's settings say contradicts nothing in production's.
 */
export function comparableClaim(claim: Claim, citations: readonly Pick<Citation, 'file'>[] = []): ComparableClaim {
  const scope = normal(claim.scope ?? '') || environmentOf(citations)
  const topic = `${normal(claim.subject)} / ${normal(claim.attribute)}`
  return {
    key: `${topic} @ ${scope}`,
    topic,
    scope,
    value: valueOf(claim),
    said: written(claim),
    isNegative: claim.polarity === 'negative',
  }
}

function normal(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}.+#]+/gu, ' ')
    .replaceAll(/(^|\s)(?:the|a|an)(?=\s)/g, '$1')
    .trim()
}

function written({ value, unit }: Claim): string {
  return unit === undefined ? value : `${value} ${unit}`
}

/** Numbers with a unit that is known are compared in the smallest one. */
function valueOf(claim: Claim): string {
  const said = written(claim)
  const [, number, name = ''] = /^\s*([+-]?\d+(?:[.,]\d+)?)\s*([\p{L}%]*)\s*$/u.exec(said) ?? []
  if (number === undefined) return normal(said)
  const amount = Number(number.replace(',', '.'))
  const known = UNITS[name.toLowerCase()]
  return known ? `${amount * known[1]} ${known[0]}` : `${amount} ${name.toLowerCase()}`.trim()
}

const UNITS: Readonly<Record<string, readonly [unit: string, factor: number]>> = {
  ...units('ms', { ms: 1, millisecond: 1, s: 1000, sec: 1000, second: 1000, m: 60_000, min: 60_000, minute: 60_000 }),
  ...units('ms', { h: 3_600_000, hour: 3_600_000, d: 86_400_000, day: 86_400_000, week: 604_800_000 }),
  ...units('bytes', { b: 1, byte: 1, kb: 1024, kib: 1024, mb: 1_048_576, mib: 1_048_576, gb: 1_073_741_824, gib: 1_073_741_824 }),
}

function units(unit: string, factors: Readonly<Record<string, number>>): Readonly<Record<string, readonly [string, number]>> {
  return Object.fromEntries(
    Object.entries(factors).flatMap(([name, factor]) => [
      [name, [unit, factor] as const],
      [`${name}s`, [unit, factor] as const],
    ]),
  )
}

/**
 * What a finding is about as far as that is said: the scopes of its claims, else the environment that its cited files are named after, else
 * one that it names in its own words. Two findings with none in common are about different things.
 */
export function scopesOf({ claims = [], citations, description }: ScopedFinding): ReadonlySet<string> {
  const claimed = claims.map((claim) => normal(claim.scope ?? '')).filter((scope) => scope !== '')
  if (claimed.length > 0) return new Set(claimed)
  const environment = environmentOf(citations)
  if (environment !== '') return new Set([environment])
  return new Set(description.toLowerCase().match(/\b(?:development|staging|production)\b/g))
}

interface ScopedFinding {
  readonly claims?: readonly Claim[]
  readonly citations: readonly Pick<Citation, 'file'>[]
  readonly description: string
}

/** The one environment that all cited files are named after; empty where there is none. */
function environmentOf(citations: readonly Pick<Citation, 'file'>[]): string {
  const named = new Set(citations.map(({ file }) => environmentIn(file)))
  const [only] = named
  return named.size === 1 ? (only ?? '') : ''
}

function environmentIn(file: string): string {
  const words = file.toLowerCase().split(/[^a-z]+/)
  const found = Object.entries(ENVIRONMENTS).find(([, names]) => names.some((name) => words.includes(name)))
  return found?.[0] ?? ''
}

const ENVIRONMENTS: Readonly<Record<string, readonly string[]>> = {
  development: ['development', 'dev', 'local'],
  test: ['test', 'tests', 'testing', 'spec', 'ci'],
  staging: ['staging', 'stage'],
  production: ['production', 'prod', 'live'],
}

/** Citations of findings that belong together, over the iterations. */
export interface CrossReference {
  /** What they share: a file, or a subject. */
  readonly about: string
  readonly findings: readonly string[]
  /** Numbers of the citations, as in `citationNumbers`. */
  readonly citations: readonly number[]
}

/** Every citation of the findings with the number it has in a report, counted from 1 in the order of the findings. */
function citationNumbers(findings: readonly Finding[]): ReadonlyMap<string, readonly number[]> {
  let last = 0
  return new Map(findings.map(({ id, citations }) => [id, citations.map(() => ++last)]))
}

/** Findings of different iterations that cite the same file or speak of the same subject, with the numbers of their citations. */
export function crossReferences(findings: readonly Finding[]): readonly CrossReference[] {
  const numbers = citationNumbers(findings)
  const groups = new Map<
    string,
    { readonly findings: Set<string>; readonly citations: Set<number>; readonly iterations: Set<number> }
  >()
  const add = (about: string, finding: Finding, citations: readonly number[]): void => {
    const group = groups.get(about) ?? { findings: new Set(), citations: new Set(), iterations: new Set() }
    group.findings.add(finding.id)
    group.iterations.add(finding.iterationDiscovered)
    for (const citation of citations) group.citations.add(citation)
    groups.set(about, group)
  }
  for (const finding of findings.filter(isLive)) {
    const own = numbers.get(finding.id) ?? []
    finding.citations.forEach(({ file, status }, index) => {
      if (status !== 'refuted') add(file, finding, own.slice(index, index + 1))
    })
    for (const claim of finding.claims ?? []) add(comparableClaim(claim).topic.split(' / ')[0] ?? '', finding, own)
  }
  return [...groups]
    .filter(([, group]) => group.iterations.size > 1 && group.findings.size > 1 && group.citations.size > 1)
    .map(([about, group]) => ({
      about,
      findings: [...group.findings],
      citations: [...group.citations].toSorted((one, other) => one - other),
    }))
}

/** `finding-001`: a name with a number, in which names sort as numbers do up to 999. */
export function idFrom(name: string, number: number): string {
  return `${name}-${String(number).padStart(3, '0')}`
}
