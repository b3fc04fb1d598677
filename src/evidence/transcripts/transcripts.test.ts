import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { transcriptFiles, type TranscriptLine, transcriptLines, type TranscriptTurn } from './transcript.ts'
import { claudeTranscript } from './claude-transcript.ts'
import { codexTranscript } from './codex-transcript.ts'
import { geminiTranscript } from './gemini-transcript.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-transcripts-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const agentNamed = (name: string) => {
  const agent = [claudeTranscript, codexTranscript, geminiTranscript].find((each) => name.startsWith(each.name))
  if (!agent) throw new Error(`There is no ${name}.`)
  return agent
}

const fixture = (name: string) => join(import.meta.dirname, 'fixtures', `${name}.jsonl`)

async function read(name: string, path: string) {
  const reader = agentNamed(name).reader()
  const turns: TranscriptTurn[] = []
  for await (const line of transcriptLines(path)) if ('fields' in line) turns.push(...reader.take(line.fields))
  turns.push(...reader.end())
  return { turns, session: reader.session() }
}

function file(name: string, lines: readonly unknown[]): string {
  const path = join(folder, name)
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'))
  return path
}

const at = (second: number) => new Date(Date.UTC(2026, 10, 16, 6, 0, second)).toISOString()

describe('transcripts that real agents wrote, each in two sittings', () => {
  it.each([
    ['claude', '6720d54c-0268-4925-a737-98d72cd48dd9', ['Read', 'Bash', 'Edit', 'Bash'], 'claude-opus-5-5'],
    [
      'codex',
      '01a1e2fa-a434-7623-b274-fe98eb9e830e',
      ['exec_command', 'exec_command', 'exec_command', 'exec_command'],
      'scripted',
    ],
    [
      'gemini',
      'e728cb7b-6d6a-428e-9325-0a50b3d9ed0c',
      ['read_file', 'run_shell_command', 'replace', 'run_shell_command'],
      'gemini-2.5-pro',
    ],
    [
      'gemini-acp',
      '8341825c-52f8-4681-b9a8-f60a7e3d6985',
      ['read_file', 'run_shell_command', 'replace', 'run_shell_command'],
      'gemini-2.5-pro',
    ],
  ])(
    'IMPORT-1 %s: every reply of the agent is a turn, with its tools, their results and its tokens',
    async (name, id, tools, model) => {
      const { turns, session } = await read(name, fixture(name))
      expect(session?.id).toBe(id)
      expect(turns).toHaveLength(10)
      expect(turns.map(({ calls }) => calls.map((call) => call.name))).toEqual([
        ...tools.map((tool) => [tool]),
        [],
        ...tools.map((tool) => [tool]),
        [],
      ])
      expect(turns.every(({ calls }) => calls.every((call) => call.response !== undefined))).toBe(true)
      expect(turns.map(({ tokens }) => tokens)).toEqual(Array.from({ length: 10 }, () => 110))
      expect(turns.map((turn) => turn.prompt?.text)).toEqual(['Make add add.', ...NOTHING_SAID, 'Make add add.', ...NOTHING_SAID])
      expect([turns[0]?.words, turns[4]?.words, turns[9]?.words]).toEqual([
        'I look at it.',
        'It is not right yet.',
        'It is right now.',
      ])
      expect(turns[9]?.model).toBe(model)
      expect(turns.every(({ at: began, endedAt }) => began > Date.UTC(2026, 10, 16) && endedAt >= began)).toBe(true)
    },
  )

  const NOTHING_SAID = Array.from({ length: 4 }, () => undefined)

  it.each(['claude', 'codex', 'gemini', 'gemini-acp'])(
    'IMPORT-2 %s: what a shell printed is whole, with its exit code',
    async (name) => {
      const { turns } = await read(name, fixture(name))
      const shells = [turns[1], turns[8]].map((turn) => turn?.calls[0]?.shell)
      expect(shells.map((shell) => shell?.command)).toEqual(Array.from({ length: 2 }, () => 'node --test --test-reporter=tap'))
      expect(shells.map((shell) => shell?.exitCode)).toEqual([1, 0])
      expect(shells[0]?.output).toMatch(/^TAP version 13\n[^]*not ok 1 - adds[^]*# fail 1\n/)
    },
  )

  it('IMPORT-3 edits are those of tools that say they edited a file, with the patch', async () => {
    const claude = await read('claude', fixture('claude'))
    expect(claude.turns[2]?.calls[0]?.edits).toEqual([{ path: 'add.js', change: 'modified' }])
    expect(claude.turns[2]?.calls[0]?.patch).toContain('+export const add = (a, b) => a * b')
    const gemini = await read('gemini', fixture('gemini'))
    expect(gemini.turns[2]?.calls[0]?.edits).toEqual([{ path: '/home/you/project/add.js', change: 'modified' }])
    expect(gemini.turns[2]?.calls[0]?.patch).toContain('+export const add = (a, b) => a * b')
  })

  it('IMPORT-4 what Claude Code says a session cost is booked where it says so', async () => {
    const { turns } = await read('claude', fixture('claude'))
    expect(turns.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0)).toBeCloseTo(0.006, 9)
  })
})

const message = (id: string, content: unknown, more = {}) => ({
  type: 'assistant',
  sessionId: 's',
  timestamp: at(2),
  message: { id, model: 'm', content, usage: { input_tokens: 1, output_tokens: 1 } },
  ...more,
})
const user = (content: unknown, more = {}) => ({
  type: 'user',
  sessionId: 's',
  timestamp: at(1),
  message: { content },
  ...more,
})

const codexLine = (type: string, payload: unknown, second = 1) => ({ timestamp: at(second), type, payload })

describe('what else is in transcripts', () => {
  it('IMPORT-5 helpers, refusals of the provider and what the program says in a person’s place are no turns and no prompts', async () => {
    const lines = [
      user('<command-name>/clear</command-name>'),
      user('skill text', { isMeta: true }),
      user('Do it.'),
      message('helper', [{ type: 'text', text: 'I help.' }], { isSidechain: true }),
      message('refused', [{ type: 'text', text: 'API Error: 529' }], { isApiErrorMessage: true }),
      message('a', [{ type: 'tool_use', id: 'x', name: 'Bash', input: { command: 'ls' } }]),
      user([{ type: 'text', text: '[Request interrupted by user]' }]),
      message('b', [{ type: 'text', text: 'Done.' }]),
    ]
    const { turns } = await read('claude', file('claude.jsonl', lines))
    expect(turns.map(({ prompt, words, calls }) => [prompt?.text, words, calls.length])).toEqual([
      ['Do it.', '', 1],
      [undefined, 'Done.', 0],
    ])
    expect(turns[0]?.calls[0]?.response).toBeUndefined()
  })

  it('IMPORT-6 Codex: the forms of earlier versions, patches, and tokens that are reported twice', async () => {
    const tokens = (total: number, last: number) =>
      codexLine('event_msg', {
        type: 'token_count',
        info: { total_token_usage: { input_tokens: total }, last_token_usage: { input_tokens: last } },
      })
    const patch = '*** Begin Patch\n*** Update File: /p/a.ts\n-1\n+2\n*** Add File: b.ts\n+3\n*** End Patch'
    const lines = [
      codexLine('session_meta', { id: 'thread', cwd: '/p', cli_version: '0.46.0' }),
      codexLine('event_msg', { type: 'user_message', message: 'Do it.' }),
      codexLine('response_item', {
        type: 'function_call',
        name: 'shell',
        arguments: '{"command":["bash","-lc","npm test"]}',
        call_id: '1',
      }),
      codexLine(
        'response_item',
        { type: 'function_call_output', call_id: '1', output: '{"output":"no","metadata":{"exit_code":3}}' },
        2,
      ),
      tokens(1010, 10),
      tokens(1010, 10),
      codexLine('response_item', { type: 'custom_tool_call', name: 'apply_patch', input: patch, call_id: '2' }, 3),
      codexLine('response_item', { type: 'custom_tool_call_output', call_id: '2', output: 'Success.' }, 4),
      tokens(1030, 20),
      codexLine('response_item', { type: 'custom_tool_call', name: 'apply_patch', input: patch, call_id: '3' }, 5),
      codexLine(
        'response_item',
        { type: 'custom_tool_call_output', call_id: '3', output: 'apply_patch verification failed: no' },
        6,
      ),
    ]
    const { turns } = await read('codex', file('codex.jsonl', lines))
    expect(turns.map((turn) => [turn.tokens, turn.calls[0]?.edits?.map(({ path, change }) => `${change} ${path}`)])).toEqual([
      [10, undefined],
      [20, ['modified a.ts', 'added b.ts']],
      [undefined, []],
    ])
    expect(turns[0]?.calls[0]?.shell).toEqual({ command: 'npm test', output: 'no', exitCode: 3 })
  })

  it('IMPORT-7 Gemini CLI: the one document of earlier versions, and no session of a helper', async () => {
    const messages = [
      { id: '1', timestamp: at(1), type: 'user', content: 'Do it.' },
      { id: '2', timestamp: at(2), type: 'gemini', content: 'Done.', tokens: { total: 7 } },
    ]
    const path = join(folder, 'session-old.json')
    writeFileSync(path, JSON.stringify({ sessionId: 'g', startTime: at(0), messages }, undefined, 2))
    const { turns, session } = await read('gemini', path)
    expect([session?.id, turns]).toMatchObject(['g', [{ prompt: { text: 'Do it.' }, words: 'Done.', tokens: 7 }]])
    const helper = await read('gemini', file('session-helper.jsonl', [{ sessionId: 'h', kind: 'subagent' }, ...messages]))
    expect(helper).toEqual({ turns: [], session: undefined })
  })
})

const replied = (id: string, content: string, total: number) => ({
  id,
  timestamp: at(2),
  type: 'gemini',
  content,
  tokens: { total },
})
const toolCall = (id: string, result?: string) => ({
  id,
  name: 'read_file',
  args: { file_path: id },
  timestamp: at(3),
  status: result === undefined ? 'executing' : 'success',
  ...(result === undefined ? {} : { result: [{ functionResponse: { response: { output: result } } }] }),
})
const toolMessage = (...toolCalls: readonly object[]) => ({
  id: 'tools',
  timestamp: at(3),
  type: 'gemini',
  content: '',
  toolCalls,
})
const prompted = (id: string) => ({ id, timestamp: at(1), type: 'user', content: 'Do it.' })

/** A reply whose tokens nobody reported. */
const untold = (id: string) => ({
  id,
  timestamp: at(2),
  type: 'gemini',
  content: '',
  toolCalls: [toolCall(`${id}-call`, 'text')],
})

describe('a session of Gemini CLI over ACP', () => {
  it('IMPORT-31 a call counts once, for the reply it follows, however often its message is written again, and no tokens are lost', async () => {
    const lines = [
      { sessionId: 'acp', kind: 'main' },
      prompted('p1'),
      replied('r1', 'I look.', 10),
      toolMessage(toolCall('a')),
      toolMessage(toolCall('a', 'text of a')),
      toolMessage(toolCall('a', 'text of a'), toolCall('b', 'text of b')),
      replied('r2', '', 20),
      toolMessage(toolCall('a', 'text of a'), toolCall('b', 'text of b'), toolCall('c', 'text of c')),
      replied('empty', '', 5),
      replied('r3', 'Half.', 30),
      prompted('p2'),
      replied('r4', '', 40),
      toolMessage(toolCall('a', 'text of a'), toolCall('b', 'text of b'), toolCall('c', 'text of c'), toolCall('d', 'text of d')),
      replied('r1', 'I look.', 10),
      replied('r5', 'Done.', 50),
    ]
    const { turns } = await read('gemini', file('session-acp.jsonl', lines))
    expect(
      turns.map(({ words, tokens, calls }) => [words, tokens, calls.map(({ input }) => Object.values(input as object)[0])]),
    ).toEqual([
      ['I look.', 10, ['a', 'b']],
      ['', 25, ['c']],
      ['Half.', 30, []],
      ['', 40, ['d']],
      ['Done.', 50, []],
    ])
    expect(turns[0]?.calls[0]?.response).toEqual({ text: 'text of a', status: 'success' })
  })

  it('IMPORT-31 replies whose tokens nobody told are turns of their own, as before', async () => {
    const { turns } = await read(
      'gemini',
      file('session-untold.jsonl', [{ sessionId: 'g' }, prompted('p'), untold('1'), untold('2')]),
    )
    expect(turns.map(({ calls }) => calls.length)).toEqual([1, 1])
  })
})

const tokensIn = async (lines: readonly object[]) =>
  (await read('gemini', file('session-empty.jsonl', lines))).turns.map(({ words, tokens }) => [words, tokens])

describe('replies that neither say nor do anything', () => {
  it('IMPORT-36 what they used counts for the turn before them, or for the first one, also at the end', async () => {
    const empties = [replied('e2', '', 5), replied('e3', '', 6)]
    const lines = [
      { sessionId: 'empty', kind: 'main' },
      prompted('p1'),
      replied('e1', '', 4),
      replied('r1', 'Half.', 10),
      ...empties,
      prompted('p2'),
      replied('r2', 'Done.', 20),
      replied('e4', '', 7),
    ]
    expect(await tokensIn(lines)).toEqual([
      ['Half.', 25],
      ['Done.', 27],
    ])
    // What is read again when the session has grown must be what it was: turns that are known are passed over.
    expect(await tokensIn(lines.slice(0, 6))).toEqual([['Half.', 25]])
  })

  it('IMPORT-36 their cost is handed on as their tokens are, and one that is reported after the last turn is that turn’s', async () => {
    const reply = (id: string, text: string, costUSD: number) => ({
      type: 'assistant',
      sessionId: 's',
      timestamp: at(2),
      costUSD,
      message: { id, model: 'm', content: text === '' ? [] : [{ type: 'text', text }], usage: { output_tokens: 10 } },
    })
    const person = { type: 'user', sessionId: 's', timestamp: at(1), message: { content: 'Do it.' } }
    const lines = [
      person,
      reply('e1', '', 0.01),
      reply('r1', 'Half.', 0.1),
      reply('e2', '', 0.02),
      reply('r2', 'Done.', 0.2),
      reply('e3', '', 0.04),
      { ...person, message: { content: 'Thanks.' } },
      { type: 'cost-state', sessionId: 's', totalCostUSD: 0.08 },
    ]
    const { turns } = await read('claude', file('empty-replies.jsonl', lines))
    expect(turns.map(({ words, tokens, costUsd }) => [words, tokens, costUsd])).toEqual([
      ['Half.', 30, 0.13],
      ['Done.', 20, 0.32],
    ])
  })
})

describe('files', () => {
  it('IMPORT-8 a line that cannot be read is named with its number, whatever comes after it', async () => {
    const path = join(folder, 'broken.jsonl')
    writeFileSync(path, `{"a":1}\n\n{broken\n[1]\n${'x'.repeat(33 * 1024 * 1024)}\n{"b":2}`)
    const lines: TranscriptLine[] = []
    for await (const line of transcriptLines(path)) lines.push(line)
    expect(lines.map((line) => [line.line, 'fields' in line ? line.fields : line.problem.slice(0, 20)])).toEqual([
      [1, { a: 1 }],
      [3, 'it is no JSON (Expec'],
      [4, 'it is no JSON object'],
      [5, 'it has more than 32 '],
      [6, { b: 2 }],
    ])
    await expect(transcriptLines(join(folder, 'gone.jsonl')).next()).rejects.toMatchObject({ code: 'transcript.unreadable' })
  })

  it('IMPORT-9 folders are searched for the names that the agent gives its files, globs are followed, and nothing found is an error', () => {
    const codex = agentNamed('codex')
    const rollout = file('rollout-1.jsonl', [{}])
    expect(transcriptFiles(codex, folder)).toEqual([rollout])
    expect(transcriptFiles(codex, join(folder, 'roll*.jsonl'))).toEqual([rollout])
    expect(() => transcriptFiles(codex, join(folder, 'nowhere'))).toThrow('keeps its transcripts in ~/.codex/sessions')
    expect(() => transcriptFiles(agentNamed('gemini'), import.meta.dirname)).toThrow('There are no transcripts of Gemini CLI')
  })
})
