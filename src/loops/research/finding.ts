/** How much a finding matters to the question. */
export type Impact = 'critical' | 'important' | 'informational'

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
  /** Who played that agent: the driver and its model. Two roles of one player are one source. Default: the role stands for itself. */
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

/** One term of a finding's confidence; the terms add up to it. */
export interface ConfidencePart {
  readonly part: 'evidence' | 'agents' | 'refuted' | 'conflict' | 'age' | 'imported'
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
