import { defined } from '../../core/defined.ts'
import type { FileChange } from '../../core/event-data.ts'
import { amountOf, type Fields, fieldsOf, listOf, textOf } from '../../core/json.ts'
import {
  instantOf,
  type TranscriptAgent,
  type TranscriptCall,
  type TranscriptReader,
  type TranscriptSession,
  wordsOf,
} from './transcript.ts'
import { pathFrom, TurnBuilder } from './turn-builder.ts'

/**
 * Claude Code: `~/.claude/projects/FOLDER/SESSION.jsonl`. One message of the model is on several lines of the same id. What helpers of
 * the agent do (`isSidechain`) counts as one call of a tool. Its cost is known for the session as a whole, and booked where it is reported.
 */
export const claudeTranscript: TranscriptAgent = {
  name: 'claude',
  title: 'Claude Code',
  fileName: /\.jsonl$/,
  files: 'SESSION.jsonl',
  place: '~/.claude/projects',
  reader: claudeReader,
}

function claudeReader(): TranscriptReader {
  const turns = new TurnBuilder()
  let session: TranscriptSession | undefined
  let costUsd = 0
  return {
    take: (line) => {
      if (line['isSidechain'] === true) return []
      if (line['type'] === 'user' || line['type'] === 'assistant') session ??= sessionOf(line)
      const at = instantOf(line['timestamp'])
      if (line['type'] === 'assistant' && at !== undefined) assistantLine(turns, line, at)
      if (line['type'] === 'user' && at !== undefined) userLine(turns, line, at, session?.cwd)
      if (line['type'] === 'cost-state') {
        const total = amountOf(line['totalCostUSD'])
        if (total > costUsd) turns.spend({ costUsd: total - costUsd })
        costUsd = Math.max(costUsd, total)
      }
      return turns.take()
    },
    end: () => turns.end(),
    session: () => session,
  }
}

function sessionOf(line: Fields): TranscriptSession | undefined {
  const id = textOf(line['sessionId'])
  if (id === undefined) return undefined
  const [cwd, version] = [textOf(line['cwd']), textOf(line['version'])]
  return { id, ...defined({ cwd, version }) }
}

function assistantLine(turns: TurnBuilder, line: Fields, at: number): void {
  const message = fieldsOf(line['message'])
  const id = textOf(message['id'])
  // Refusals of the provider are put into the mouth of a model that does not exist.
  if (id === undefined || message['model'] === '<synthetic>' || line['isApiErrorMessage'] === true) return
  turns.reply(id, at)
  turns.model(textOf(message['model']))
  const usage = fieldsOf(message['usage'])
  if (typeof usage['output_tokens'] === 'number') turns.tokens(USAGE.reduce((sum, name) => sum + amountOf(usage[name]), 0))
  if (typeof line['costUSD'] === 'number') turns.spend({ costUsd: amountOf(line['costUSD']) })
  for (const block of listOf(message['content'])) {
    if (block['type'] === 'text') turns.say(textOf(block['text']) ?? '')
    const [call, name] = [textOf(block['id']), textOf(block['name'])]
    if (block['type'] !== 'tool_use' || call === undefined || name === undefined) continue
    const command = name === 'Bash' ? textOf(fieldsOf(block['input'])['command']) : undefined
    turns.call({ id: call, name, input: block['input'], ...(command === undefined ? {} : { shell: { command } }) })
  }
}

const USAGE = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens']

function userLine(turns: TurnBuilder, line: Fields, at: number, cwd: string | undefined): void {
  const { content } = fieldsOf(line['message'])
  const results = listOf(content).filter((block) => block['type'] === 'tool_result')
  for (const result of results) {
    const id = textOf(result['tool_use_id']) ?? ''
    const call = turns.callOf(id)
    if (call) turns.answer(id, at, resultOf(call, result, fieldsOf(line['toolUseResult']), cwd))
  }
  if (results.length > 0 || line['isMeta'] === true || line['isCompactSummary'] === true) return
  const said = wordsOf(content)
  if (!NO_PROMPT.test(said)) turns.prompt(said, at)
}

/** What the program itself writes in a person's place. */
const NO_PROMPT = /^\s*(?:<(?:command-|local-command-|system-reminder|bash-)|Caveat: |\[Request interrupted by user)/

function resultOf(call: TranscriptCall, result: Fields, told: Fields, cwd: string | undefined): Partial<TranscriptCall> {
  const isError = result['is_error'] === true
  const response = { content: result['content'], isError }
  if (call.shell) {
    const text = wordsOf(result['content'])
    const [head = '', code] = /^Exit code (\d+)\n?/.exec(text) ?? []
    const isWhole = told['interrupted'] !== true && (code !== undefined || !isError)
    const output = isError
      ? text.slice(head.length)
      : [textOf(told['stdout']) ?? text, textOf(told['stderr']) ?? ''].join('\n').trimEnd()
    return { response, shell: { command: call.shell.command, output, ...(isWhole ? { exitCode: Number(code ?? 0) } : {}) } }
  }
  const input = fieldsOf(call.input)
  const path = textOf(input['file_path']) ?? textOf(input['notebook_path'])
  if (isError || path === undefined || !EDITING.test(call.name)) return { response }
  const change: FileChange['change'] = told['type'] === 'create' ? 'added' : 'modified'
  const patch = patchOf(pathFrom(cwd, path), input, told)
  return { response, edits: [{ path: pathFrom(cwd, path), change }], ...(patch === undefined ? {} : { patch }) }
}

const EDITING = /^(?:Edit|MultiEdit|Write|NotebookEdit)$/

function patchOf(path: string, input: Fields, told: Fields): string | undefined {
  const hunks = listOf(told['structuredPatch']).map(({ lines }) => (Array.isArray(lines) ? lines.map(String) : []))
  const written = textOf(input['content'])
  const lines =
    hunks.length > 0 ? hunks.flatMap((hunk) => ['@@', ...hunk]) : (written?.split('\n') ?? []).map((line) => `+${line}`)
  return lines.length === 0 ? undefined : [`--- a/${path}`, `+++ b/${path}`, ...lines, ''].join('\n')
}
