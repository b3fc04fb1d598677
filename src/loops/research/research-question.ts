/** What a question asks for: whether it can be done, how it works, where it is, why it is so. */
export type QuestionKind = 'feasibility' | 'architecture' | 'location' | 'rationale'

/** How far a question is answered. */
export type QuestionStatus = 'answered' | 'partly' | 'not'

/** A question of the prompt, tracked to its answer. */
export interface ResearchQuestion {
  /** `question-1`. */
  readonly id: string
  readonly text: string
  readonly kind: QuestionKind
  /** Whether convergence needs its answer. */
  readonly isCritical: boolean
  readonly status: QuestionStatus
  /** What an agent last said of it; it counts only with verified findings. */
  readonly said?: QuestionStatus
  /** Ids of the findings that answer it, or a part of it. */
  readonly findings: readonly string[]
  /** What is still missing, in an agent's words or ours. */
  readonly missing?: string
}

/** How many questions a prompt gives. */
export const QUESTIONS_MAX = 20
