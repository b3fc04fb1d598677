import type { AgentAnswer } from '../../loops/research/agent-answer.ts'
import { needed } from '../../core/option-kinds.ts'
import { CODEBASE } from '../../core/part-kinds.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { requireOptions } from '../../core/require-options.ts'
import type { Agent, WorkRequest, WorkResult } from '../agent.ts'
import type { ReadableCodebase } from '../../codebase/codebase.ts'
import type { EffectContext } from '../../process/effect-context.ts'
import { explore } from './explore.ts'
import { lookInto } from './look.ts'
import { readRequest } from './read-request.ts'

export interface ExplorerAgentOptions {
  /** What it searches. */
  readonly codebase: ReadableCodebase
}

/**
 * A research agent without a model: it searches the code for names, uses, imports, settings and reasons, and cites the lines it read. It
 * changes nothing, needs no network and costs nothing; what a search cannot tell it names as uncertain.
 *
 * @part explorer
 */
export function explorerAgent(options: ExplorerAgentOptions): Agent {
  requireOptions('explorerAgent', options, { codebase: needed(CODEBASE) })
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

/** What takes judgement and no search. */
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

/** What an agent's answer may be long, with room to spare: the engine reads the end of a text. */
const ANSWER_LENGTH_MAX = 150_000

/** Findings that do not fit are left out from the end, where the least important are, and it is said. */
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
  return `${findings.length} findings with ${citations} citations, from ${files.length} of ${filesTotal} files.`
}
