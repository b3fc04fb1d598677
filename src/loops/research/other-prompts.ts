import type { ResearchProgress } from './research-progress.ts'
import { shortened } from '../../core/wording.ts'

/** What an agent is asked that reads the questions out of a prompt. */
export function questionsPrompt(goal: string): string {
  return `# Your task
Read the questions out of what somebody wants to know about a codebase. Do not answer them, and do not look at the codebase.

# What is asked
${goal}

# Your answer
Answer with one JSON object at the end, and nothing after it:
{"questions": [{"text": "one question", "kind": "feasibility" | "architecture" | "location" | "rationale", "critical": true}]}
feasibility: whether it can be done; architecture: how it works; location: where it is, what handles or uses it; rationale: why it is so.
`
}

/** What a judge is asked about pairs of findings that may contradict each other. */
export function judgePrompt(goal: string, { nominations, findings }: Pick<ResearchProgress, 'nominations' | 'findings'>): string {
  const text = (id: string): string => shortened(findings.find((finding) => finding.id === id)?.description ?? id, 300)
  const lines = nominations
    .filter(({ status }) => status === 'needs review')
    .slice(0, PAIRS_MAX)
    .map(({ id, findings: [one, other], why }) => `- ${id} (${why}):\n  ${one}: ${text(one)}\n  ${other}: ${text(other)}`)
  return `# Your task
Decide for each pair of findings whether they contradict each other: whether both can be true at the same time of the same thing. Look at
the code where the words do not decide it. Change no file.

# What the research is about
${goal}

# The pairs
${lines.join('\n')}

# Your answer
Answer with one JSON object at the end, and nothing after it:
{"verdicts": [{"pair": "pair-001", "verdict": "contradiction" | "no contradiction", "reason": "why, in a sentence"}]}
`
}

const PAIRS_MAX = 30
