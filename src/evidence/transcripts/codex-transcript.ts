import { defined } from '../../core/defined.ts'
import type { FileChange } from '../../core/event-data.ts'
import { amountOf, type Fields, fieldsOf, textOf } from '../../core/json.ts'
import { instantOf, type TranscriptAgent, type TranscriptReader, type TranscriptSession, wordsOf } from './transcript.ts'
import { pathFrom, TurnBuilder } from './turn-builder.ts'

/**
 * Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl`. A turn is what the model said and called before it saw what came back. Its
 * tokens are reported as a sum over the thread. It knows no cost.
 */
export const codexTranscript: TranscriptAgent = {
  name: 'codex',
  title: 'Codex',
  fileName: /^rollout-.*\.jsonl$/,
  files: 'rollout-TIME-ID.jsonl',
  place: '~/.codex/sessions',
  reader: codexReader,
}

function codexReader(): TranscriptReader {
  const turns = new TurnBuilder()
  const known: Known = { replies: 0 }
  return {
    take: (line) => {
      const at = instantOf(line['timestamp'])
      const payload = fieldsOf(line['payload'])
      if (at === undefined) return []
      if (line['type'] === 'session_meta') known.session ??= sessionOf(payload)
      if (line['type'] === 'turn_context') turns.model(textOf(payload['model']))
      if (line['type'] === 'response_item') responseItem(turns, known, payload, at)
      if (line['type'] === 'event_msg') eventMessage(turns, known, payload, at)
      return turns.take()
    },
    end: () => turns.end(),
    session: () => known.session,
  }
}

interface Known {
  session?: TranscriptSession | undefined
  replies: number
  /** Of the thread so far. */
  tokens?: number
}

function sessionOf(payload: Fields): TranscriptSession | undefined {
  const id = textOf(payload['id'])
  if (id === undefined) return undefined
  const [cwd, version] = [textOf(payload['cwd']), textOf(payload['cli_version'])]
  return { id, ...defined({ cwd, version }) }
}

function responseItem(turns: TurnBuilder, known: Known, item: Fields, at: number): void {
  switch (item['type']) {
    case 'message':
      if (item['role'] !== 'assistant') return
      openReply(turns, known, at)
      return turns.say(wordsOf(item['content']))
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
      openReply(turns, known, at)
      return toolCall(turns, known, item)
    case 'function_call_output':
    case 'custom_tool_call_output':
      return toolOutput(turns, textOf(item['call_id']) ?? '', item['output'], at)
    default:
      return undefined
  }
}

/** What the model sends after its tools have answered is its next reply. */
function openReply(turns: TurnBuilder, known: Known, at: number): void {
  if (turns.id === undefined || turns.isAnswered) turns.reply(`reply-${++known.replies}`, at)
}

function toolCall(turns: TurnBuilder, { session }: Known, item: Fields): void {
  const id = textOf(item['call_id'])
  if (id === undefined) return
  const name = textOf(item['name']) ?? 'shell'
  const input = inputOf(item)
  const command = item['type'] === 'custom_tool_call' ? undefined : commandIn(fieldsOf(input))
  const patch = PATCH.exec(typeof input === 'string' ? input : (textOf(fieldsOf(input)['input']) ?? command ?? ''))?.[0]
  const edits = patch === undefined ? [] : editsIn(patch, session?.cwd)
  turns.call({
    id,
    name,
    input,
    ...(command === undefined ? {} : { shell: { command } }),
    ...(patch === undefined || edits.length === 0 ? {} : { edits, patch }),
  })
}

/** Arguments are JSON in a text; a tool of a form of its own gets a text that isn't one. */
function inputOf(item: Fields): unknown {
  const text = textOf(item['arguments']) ?? textOf(item['input'])
  if (text === undefined) return item['action']
  try {
    return item['type'] === 'custom_tool_call' ? text : (JSON.parse(text) as unknown)
  } catch {
    // A model may have written what is no JSON: what it wrote is the input then.
    return text
  }
}

function commandIn({ cmd, command }: Fields): string | undefined {
  if (Array.isArray(command)) {
    const words = command.map(String)
    return /(?:^|\/)(?:ba|z|da)?sh$/.test(words[0] ?? '') ? (words[2] ?? '') : words.join(' ')
  }
  return textOf(cmd) ?? textOf(command)
}

const PATCH = /\*\*\* Begin Patch\n[^]*?\*\*\* End Patch/

function editsIn(patch: string, cwd: string | undefined): readonly FileChange[] {
  const changes = { Add: 'added', Update: 'modified', Delete: 'deleted' } as const
  return [...patch.matchAll(/^\*\*\* (Add|Update|Delete) File: (.+)$/gm)].map(([, kind, path = '']) => ({
    path: pathFrom(cwd, path.trim()),
    change: changes[kind as keyof typeof changes],
  }))
}

function toolOutput(turns: TurnBuilder, id: string, output: unknown, at: number): void {
  const call = turns.callOf(id)
  if (!call) return
  const text = typeof output === 'string' ? output : (textOf(fieldsOf(output)['content']) ?? wordsOf(output))
  if (!call.shell) return turns.answer(id, at, { response: text, ...withoutRefused(text) })
  // What an event told of it before is whole, and this may be shortened.
  const seen = call.shell.output === undefined ? { ...outputIn(text), command: call.shell.command } : call.shell
  return turns.answer(id, at, { response: text, shell: seen })
}

/** A patch that did not apply edited nothing. */
function withoutRefused(text: string): { readonly edits?: readonly FileChange[] } {
  return /^(?:apply_patch verification failed|Failed |error: )/i.test(text) ? { edits: [] } : {}
}

/** `Process exited with code 1 … Output:` of today, and the JSON of earlier versions. */
function outputIn(text: string): { readonly output: string; readonly exitCode?: number } {
  const code = /^(?:Process exited with code|Exit code:) (\d+)$/m.exec(text)?.[1]
  const place = text.indexOf('\nOutput:\n')
  if (code !== undefined && place !== -1) return { output: text.slice(place + '\nOutput:\n'.length), exitCode: Number(code) }
  try {
    const { output, metadata } = fieldsOf(JSON.parse(text))
    const exit = fieldsOf(metadata)['exit_code']
    return { output: textOf(output) ?? '', ...(typeof exit === 'number' ? { exitCode: exit } : {}) }
  } catch {
    // Plain text is what was printed.
    return { output: text }
  }
}

function eventMessage(turns: TurnBuilder, known: Known, payload: Fields, at: number): void {
  switch (payload['type']) {
    case 'user_message':
      return turns.prompt(textOf(payload['message']) ?? '', at)
    case 'item_completed':
      return completedItem(turns, fieldsOf(payload['item']), at)
    case 'exec_command_end':
      return shellEnded(turns, textOf(payload['call_id']), payload, at)
    case 'token_count':
      return tokensCounted(turns, known, fieldsOf(payload['info']))
    default:
      return undefined
  }
}

function completedItem(turns: TurnBuilder, item: Fields, at: number): void {
  if (item['type'] === 'UserMessage') turns.prompt(wordsOf(item['content']), at)
  if (item['type'] === 'CommandExecution') shellEnded(turns, textOf(item['id']), item, at)
}

function shellEnded(turns: TurnBuilder, id: string | undefined, ended: Fields, at: number): void {
  const call = id === undefined ? undefined : turns.callOf(id)
  const output = ended['aggregated_output']
  const exitCode = ended['exit_code']
  if (id === undefined || !call?.shell || typeof output !== 'string' || typeof exitCode !== 'number') return
  turns.answer(id, at, { shell: { command: call.shell.command, output, exitCode } })
}

function tokensCounted(turns: TurnBuilder, known: Known, info: Fields): void {
  const total = tokensIn(fieldsOf(info['total_token_usage']))
  if (total === 0) return
  const before = known.tokens ?? total - tokensIn(fieldsOf(info['last_token_usage']))
  if (total > before) turns.spend({ tokens: total - before })
  known.tokens = total
}

/** Cached input is part of the input, reasoning part of the output. */
function tokensIn(usage: Fields): number {
  return amountOf(usage['input_tokens']) + amountOf(usage['output_tokens'])
}
