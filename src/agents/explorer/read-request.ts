import type { ResearchRequest } from '../../loops/research/research-request.ts'
import { RESEARCH_REQUEST_FENCE } from '../../loops/research/research-request.ts'
import { termsOf } from '../../loops/research/terms.ts'

/**
 * What a brief asks for: the fenced `research-request` block where there is one, else the words of the brief as the question. Whatever is
 * missing or of the wrong kind is empty: a request is read, never trusted.
 */
export function readRequest(brief: string, role: string): ResearchRequest {
  const read = objectIn(brief)
  const question = typeof read['question'] === 'string' ? read['question'] : brief.slice(0, QUESTION_LENGTH_MAX)
  const terms = texts(read['terms'])
  return {
    question,
    terms: terms.length > 0 ? terms : termsOf(question),
    questions: objects(read['questions']) as ResearchRequest['questions'],
    // A run asks for a role with the class of model before it: `fast:explore`.
    role: typeof read['role'] === 'string' ? read['role'] : aloneRole(role.replace(/^\w+:/, '')),
    iteration: typeof read['iteration'] === 'number' ? read['iteration'] : 1,
    focus: typeof read['focus'] === 'string' ? read['focus'] : '',
    gaps: objects(read['gaps']) as unknown as ResearchRequest['gaps'],
    missingFiles: texts(read['missingFiles']),
    analysedFiles: texts(read['analysedFiles']),
    findings: objects(read['findings'])
      .filter((each) => typeof each['id'] === 'string' && typeof each['description'] === 'string')
      .map((each) => ({
        confidence: 0,
        ...each,
        citations: objects(each['citations']),
      })) as unknown as ResearchRequest['findings'],
  }
}

const QUESTION_LENGTH_MAX = 2000

/** Nobody else is there to look for uses when no loop asks. */
function aloneRole(role: string): string {
  return role === 'explore' ? 'alone' : role
}

type Read = Readonly<Record<string, unknown>>

/** The last block counts: what comes before it may quote one. */
function objectIn(brief: string): Read {
  const fence = new RegExp(`^\`\`\`+${RESEARCH_REQUEST_FENCE}[ \\t]*\\n([\\s\\S]*?)^\`\`\`+[ \\t]*$`, 'gm')
  const block = [...brief.matchAll(fence)].at(-1)?.[1]
  if (block === undefined) return {}
  try {
    return objects([JSON.parse(block)])[0] ?? {}
  } catch {
    // Not JSON: then the brief is read as words.
    return {}
  }
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []
}

function objects(value: unknown): readonly Read[] {
  return Array.isArray(value) ? value.filter((each): each is Read => typeof each === 'object' && each !== null) : []
}
