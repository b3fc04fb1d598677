import { type Fields, parseJson } from '../core/json.ts'
import type { AgentAnswer } from '../loops/research/answer.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { Agent, WorkRequest, WorkResult } from '../agents/agent.ts'
import type { ReadableCodebase } from '../codebase/codebase.ts'
import type { EffectContext } from '../process/effect-context.ts'
import { explore } from './explore.ts'
import { lookInto } from './look.ts'
import { RESEARCH_REQUEST_FENCE, type ResearchRequest } from '../loops/research/prompts.ts'
import { termsOf } from '../loops/research/terms.ts'
import { counted } from '../core/wording.ts'
import { needed, settingsSchema } from '../schema/kinds.ts'
import { CODEBASE } from '../schema/part-kinds.ts'
import { readOptions } from '../schema/read-options.ts'

export interface ExplorerAgentOptions {
  /** The codebase to search. */
  readonly codebase: ReadableCodebase
}

/**
 * A research agent without a model: it searches the code for names, uses, imports, settings and reasons, and cites the lines it
 * read. It changes nothing, needs no network and costs nothing. It reports what a search can't tell as uncertain.
 *
 * @part explorer
 */
export function explorerAgent(options: ExplorerAgentOptions): Agent {
  readOptions('explorerAgent', OPTIONS, options)
  const { codebase } = options
  return {
    spec: { name: 'explorer', v: 1, settings: { codebase: { ...codebase.spec } } },
    isInProcess: true,
    work: (request, context) => work(codebase, request, context),
  }
}

async function work(codebase: ReadableCodebase, request: WorkRequest, context: EffectContext): Promise<WorkResult> {
  const limit = request.deadlineMs === undefined ? undefined : AbortSignal.timeout(Math.max(1, request.deadlineMs))
  const signal = limit ? AbortSignal.any([context.signal, limit]) : context.signal
  await context.started()
  const role = request.role.replace(/^\w+:/, '')
  if (JUDGING.has(role)) return unable(role)
  try {
    const asked = readRequest(request.brief, request.role)
    const inner = { signal, progress: (line: string) => context.progress(line) }
    context.progress(`searching as ${asked.role}`)
    const index = await codebase.index(inner)
    const answer = await explore(lookInto({ request: asked, codebase, index, context: inner }))
    return {
      status: 'finished',
      summary: summaryOf(answer, index.filesTotal),
      output: { text: answerText(answer), bytesCut: 0 },
      costUsd: 0,
      tokens: 0,
    }
  } catch (error) {
    if (context.signal.aborted) return { status: 'aborted' }
    const used = { costUsd: 0, tokens: 0 }
    if (limit?.aborted) return { status: 'timed-out', fault: 'environment', message: 'The explorer ran out of time.', ...used }
    if (!(error instanceof PawlError)) throw error
    return { status: 'failed', fault: 'config', message: error.message, ...used }
  }
}

/** Roles that need judgement rather than search. */
const JUDGING: ReadonlySet<string> = new Set(['questions', 'judge'])

function unable(role: string): WorkResult {
  const message = `The explorer searches code; it cannot play the role "${role}", which takes a model.`
  return {
    status: 'failed',
    fault: 'config',
    message,
    fix: 'Give that role to another agent, or leave it to the rules.',
    costUsd: 0,
    tokens: 0,
  }
}

/** The maximum length of an answer, with room to spare: the engine reads only the end of a text. */
const ANSWER_LENGTH_MAX = 150_000

/** Drops findings that don't fit from the end, where the least important are, and says so. */
function answerText(answer: AgentAnswer): string {
  let kept = answer
  while (JSON.stringify(kept).length > ANSWER_LENGTH_MAX && kept.findings.length > 1) {
    const findings = kept.findings.slice(0, Math.floor(kept.findings.length * 0.8))
    const reason = `${answer.findings.length - findings.length} more findings did not fit into the answer.`
    kept = { ...kept, findings, uncertainties: [...answer.uncertainties, { area: 'the answer', reason }] }
  }
  return `${JSON.stringify(kept)}\n`
}

function summaryOf({ findings, files }: AgentAnswer, filesTotal: number): string {
  const citations = findings.reduce((sum, finding) => sum + finding.citations.length, 0)
  return `${counted(findings.length, 'finding')} with ${counted(citations, 'citation')}, from ${files.length} of ${counted(filesTotal, 'file')}.`
}

/**
 * What a brief asks for: its fenced `research-request` block, otherwise the brief's words as the question. Anything missing or
 * malformed becomes empty: never trust a request.
 */
function readRequest(brief: string, role: string): ResearchRequest {
  const read = objectIn(brief)
  const question = typeof read['question'] === 'string' ? read['question'] : brief.slice(0, QUESTION_LENGTH_MAX)
  const terms = texts(read['terms'])
  return {
    question,
    terms: terms.length > 0 ? terms : termsOf(question),
    questions: objects(read['questions']) as ResearchRequest['questions'],
    // A run puts the class of model before the role: `fast:explore`.
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

/** Without a loop, no other agent looks for uses. */
function aloneRole(role: string): string {
  return role === 'explore' ? 'alone' : role
}

/** The last block counts: the text before it may quote one. */
function objectIn(brief: string): Fields {
  const fence = new RegExp(`^\`\`\`+${RESEARCH_REQUEST_FENCE}[ \\t]*\\n([\\s\\S]*?)^\`\`\`+[ \\t]*$`, 'gm')
  const block = [...brief.matchAll(fence)].at(-1)?.[1]
  // What isn't JSON is read as words.
  return objects([parseJson(block ?? '')])[0] ?? {}
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []
}

function objects(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter((each): each is Fields => typeof each === 'object' && each !== null) : []
}

const OPTIONS = settingsSchema({ codebase: needed(CODEBASE) })
