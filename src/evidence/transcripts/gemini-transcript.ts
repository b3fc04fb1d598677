import { amountOf, type Fields, fieldsOf, listOf, textOf } from '../../core/json.ts'
import {
  instantOf,
  type TranscriptAgent,
  type TranscriptCall,
  type TranscriptReader,
  type TranscriptSession,
  wordsOf,
} from './transcript.ts'
import { TurnBuilder } from './turn-builder.ts'

/**
 * Gemini CLI: `~/.gemini/tmp/PROJECT/chats/session-TIME-ID.jsonl`, of earlier versions one JSON document (`.json`) whose `messages` are
 * taken one by one. A message that grows is written again under the same id. Over ACP all tools of a session are in one message, which
 * is written again with each call: a call counts once, for the reply it follows. What a resumed session repeats of its past (`$set`)
 * was read where it happened. It knows no cost.
 */
export const geminiTranscript: TranscriptAgent = {
  name: 'gemini',
  title: 'Gemini CLI',
  fileName: /^session-.*\.jsonl?$/,
  files: 'session-TIME-ID.jsonl (or .json)',
  place: '~/.gemini/tmp/PROJECT/chats',
  reader: geminiReader,
}

function geminiReader(): TranscriptReader {
  const turns = new TurnBuilder()
  const known: Known = { messages: new Set(), calls: new Set() }
  let session: TranscriptSession | undefined
  let isHelper = false
  return {
    take: (line) => {
      const id = textOf(line['sessionId'])
      if (id !== undefined) {
        session ??= { id }
        isHelper ||= line['kind'] !== undefined && line['kind'] !== 'main'
      }
      const at = instantOf(line['timestamp'])
      if (at === undefined || isHelper) return []
      if (line['type'] === 'user') userMessage(turns, line, at)
      if (line['type'] === 'gemini') modelMessage(turns, known, line, at)
      return turns.take()
    },
    end: () => turns.end(),
    session: () => (isHelper ? undefined : session),
  }
}

function userMessage(turns: TurnBuilder, line: Fields, at: number): void {
  const isResult = listOf(line['content']).some((part) => part['functionResponse'] !== undefined)
  const said = wordsOf(line['content'])
  if (!isResult && !/^\s*<session_context>/.test(said)) turns.prompt(said, at)
}

/** What was read already, by id: messages, and the calls in them. */
interface Known {
  readonly messages: Set<string>
  readonly calls: Set<string>
}

function modelMessage(turns: TurnBuilder, known: Known, line: Fields, at: number): void {
  const id = textOf(line['id'])
  if (id === undefined) return
  const calls = listOf(line['toolCalls'])
  const said = wordsOf(line['content'])
  const { total } = fieldsOf(line['tokens'])
  const isOfTools = calls.length > 0 && said === '' && total === undefined && turns.id !== undefined && !turns.hasCalls
  const isReply = !known.messages.has(id) && !isOfTools
  known.messages.add(id)
  if (isReply) turns.reply(id, at)
  if (turns.id === id) {
    turns.model(textOf(line['model']))
    turns.say(said)
    if (typeof total === 'number') turns.tokens(amountOf(total))
  }
  for (const call of calls) toolCall(turns, known, `${id} ${textOf(call['id'])}`, call, at)
}

/** One that an earlier reply has made is reported again with each that follows. */
function toolCall(turns: TurnBuilder, known: Known, key: string, call: Fields, at: number): void {
  const [id, name] = [textOf(call['id']), textOf(call['name'])]
  if (id === undefined || name === undefined) return
  if (known.calls.has(key) && !turns.callOf(id)) return
  known.calls.add(key)
  if (turns.id === undefined) turns.reply(key, at)
  const input = fieldsOf(call['args'])
  const command = name === 'run_shell_command' ? textOf(input['command']) : undefined
  turns.call({ id, name, input, ...(command === undefined ? {} : { shell: { command } }) })
  if (call['result'] === undefined || call['result'] === null) return
  turns.answer(id, instantOf(call['timestamp']) ?? at, resultOf(call, input, command))
}

function resultOf(call: Fields, input: Fields, command: string | undefined): Partial<TranscriptCall> {
  const told = listOf(call['result']).map((part) => fieldsOf(fieldsOf(part['functionResponse'])['response']))
  const text = told.map(({ output, error }) => textOf(output) ?? textOf(error) ?? '').join('\n')
  const isDone = call['status'] === 'success'
  const response = { text, status: call['status'] }
  if (command !== undefined) {
    const { printed, code = isDone ? 0 : undefined } = shellReport(text)
    const output = textOf(call['resultDisplay']) ?? printed
    return { response, shell: { command, output, ...(code === undefined ? {} : { exitCode: code }) } }
  }
  const path = textOf(input['file_path'])
  if (!isDone || path === undefined || !EDITING.test(String(call['name']))) return { response }
  const { fileDiff, isNewFile } = fieldsOf(call['resultDisplay'])
  const patch = textOf(fileDiff)
  const change = isNewFile === true ? 'added' : 'modified'
  return { response, edits: [{ path: path, change }], ...(patch === undefined ? {} : { patch }) }
}

/** What the model read of a command: what that printed after `Output: `, and below it how it ended. */
function shellReport(text: string): { readonly printed: string; readonly code?: number } {
  const lines = text
    .replace(/^<untrusted_context>\n/, '')
    .replace(/\n<\/untrusted_context>\s*$/, '')
    .split('\n')
  const ends = lines.findLastIndex((line) => !/^(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): /.test(line)) + 1
  const code = lines.slice(ends).flatMap((line) => /^Exit Code: (\d+)$/.exec(line)?.[1] ?? [])[0]
  const printed = lines
    .slice(0, ends)
    .join('\n')
    .replace(/^Output: /, '')
  return { printed, ...(code === undefined ? {} : { code: Number(code) }) }
}

const EDITING = /^(?:replace|edit|write_file)$/
