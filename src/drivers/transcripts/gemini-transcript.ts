import type { TranscriptCall, TranscriptSession } from '../../core/transcripts/transcript-turn.ts'
import { amountOf, type Fields, fieldsOf, instantOf, listOf, textOf, wordsOf } from './fields.ts'
import type { TranscriptAgent, TranscriptReader } from './transcript-reader.ts'
import { TurnBuilder } from './turn-builder.ts'

/**
 * Gemini CLI: `~/.gemini/tmp/PROJECT/chats/session-TIME-ID.jsonl`, of earlier versions one JSON document (`.json`) whose `messages` are
 * taken one by one. A message that grows is written again under the same id. What a resumed session repeats of its past (`$set`) was
 * read where it happened. It knows no cost.
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
      if (line['type'] === 'gemini') modelMessage(turns, line, at)
      return turns.take()
    },
    end: () => {
      turns.close()
      return turns.take()
    },
    session: () => (isHelper ? undefined : session),
  }
}

function userMessage(turns: TurnBuilder, line: Fields, at: number): void {
  const isResult = listOf(line['content']).some((part) => part['functionResponse'] !== undefined)
  const said = wordsOf(line['content'])
  if (!isResult && !/^\s*<session_context>/.test(said)) turns.prompt(said, at)
}

function modelMessage(turns: TurnBuilder, line: Fields, at: number): void {
  const id = textOf(line['id'])
  if (id === undefined) return
  turns.reply(id, at)
  turns.model(textOf(line['model']))
  turns.say(wordsOf(line['content']))
  const { total } = fieldsOf(line['tokens'])
  if (typeof total === 'number') turns.tokens(amountOf(total))
  for (const call of listOf(line['toolCalls'])) toolCall(turns, call, at)
}

function toolCall(turns: TurnBuilder, call: Fields, at: number): void {
  const [id, name] = [textOf(call['id']), textOf(call['name'])]
  if (id === undefined || name === undefined) return
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
    const code = /^Exit Code: (\d+)$/m.exec(text)?.[1] ?? (isDone ? '0' : undefined)
    const output = textOf(call['resultDisplay']) ?? text
    return { response, shell: { command, output, ...(code === undefined ? {} : { exitCode: Number(code) }) } }
  }
  const path = textOf(input['file_path'])
  if (!isDone || path === undefined || !EDITING.test(String(call['name']))) return { response }
  const { fileDiff, isNewFile } = fieldsOf(call['resultDisplay'])
  const patch = textOf(fileDiff)
  const change = isNewFile === true ? 'added' : 'modified'
  return { response, edits: [{ path: path, change }], ...(patch === undefined ? {} : { patch }) }
}

const EDITING = /^(?:replace|edit|write_file)$/
