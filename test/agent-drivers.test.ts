import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { maxIterations } from '../src/guards/index.ts'
import { claudeAgent } from '../src/agents/claude.ts'
import { codex, codexAgent } from '../src/agents/codex.ts'
import { gemini, geminiAgent } from '../src/agents/gemini.ts'
import { opencode, opencodeAgent } from '../src/agents/opencode.ts'
import { qwen, qwenAgent } from '../src/agents/qwen.ts'
import { claudeStream } from '../src/agents/streams/claude-stream.ts'
import type { StreamAgentOptions } from '../src/agents/streams/stream-agent.ts'
import { detailsOf, endingOf } from '../src/agents/streams/stream-result.ts'
import { readStream, type StreamReader } from '../src/agents/streams/stream-reading.ts'
import { commandCheck } from '../src/checks/command-check.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import { folderWorkspace } from '../src/workspaces/folder-workspace.ts'
import { createLoop } from '../src/index.ts'
import { redactJson } from '../src/secrets/filter.ts'
import { ralphLoop } from '../src/loops/ralph/index.ts'
import type { Agent } from '../src/agents/agent.ts'
import type { SealedEvent } from '../src/stores/store.ts'
import { leakedIn, oddKeys, straddling, straddlingEnd } from './support/planted-secrets.ts'
import { plantedSecrets } from '../src/testing/planted-secrets.ts'
import { temporaryFolder } from './support/temporary-repository.ts'

type Say = (said: {
  readonly message: string
  readonly tool: string
  readonly result: string
  readonly error?: string
  readonly turn: number
}) => readonly object[]

/** The events of each agent for one turn: a message, a tool with its result, and the end. Session `s-1`; every turn takes 100 tokens. */
const claudeLike =
  (total: (turn: number) => object): Say =>
  ({ message, tool, result, error, turn }) => [
    { type: 'system', subtype: 'init', session_id: 's-1', model: 'big-one' },
    {
      type: 'assistant',
      session_id: 's-1',
      message: {
        id: `m${turn}`,
        model: 'big-one',
        content: [
          { type: 'text', text: message },
          { type: 'tool_use', id: 't', name: 'Write', input: { file_path: 'note.txt', content: tool } },
        ],
        usage: { input_tokens: 90, output_tokens: 10, total_tokens: 100 },
      },
    },
    { type: 'user', session_id: 's-1', message: { content: [{ type: 'tool_result', tool_use_id: 't', content: result }] } },
    {
      type: 'result',
      session_id: 's-1',
      subtype: error === undefined ? 'success' : 'error_during_execution',
      is_error: error !== undefined,
      result: error ?? message,
      ...total(turn),
    },
  ]

const AGENTS: Readonly<Record<string, { readonly make: (options: StreamAgentOptions) => Agent; readonly say: Say }>> = {
  claude: {
    make: claudeAgent,
    say: claudeLike((turn) => ({ usage: { input_tokens: 90, output_tokens: 10 }, total_cost_usd: turn * 0.25 })),
  },
  qwen: { make: qwenAgent, say: claudeLike((turn) => ({ usage: { total_tokens: turn * 100 } })) },
  codex: {
    make: codexAgent,
    say: ({ message, tool, result, error, turn }) => [
      { type: 'thread.started', thread_id: 's-1' },
      { type: 'item.completed', item: { id: 'a', type: 'agent_message', text: message } },
      {
        type: 'item.completed',
        item: { id: 'b', type: 'command_execution', command: tool, aggregated_output: result, exit_code: 0 },
      },
      error === undefined
        ? { type: 'turn.completed', usage: { input_tokens: turn * 90, output_tokens: turn * 10 } }
        : { type: 'turn.failed', error: { message: error } },
    ],
  },
  gemini: {
    make: geminiAgent,
    say: ({ message, tool, result, error }) => [
      { type: 'init', session_id: 's-1', model: 'big-one' },
      { type: 'message', role: 'assistant', content: message, delta: true },
      { type: 'tool_use', tool_id: 't', tool_name: 'write_file', parameters: { file_path: 'note.txt', content: tool } },
      { type: 'tool_result', tool_id: 't', status: 'success', output: result },
      {
        type: 'result',
        status: error === undefined ? 'success' : 'error',
        ...(error !== undefined && { error: { message: error } }),
        stats: { total_tokens: 100 },
      },
    ],
  },
  opencode: {
    make: opencodeAgent,
    say: ({ message, tool, result, error }) => [
      { type: 'text', sessionID: 's-1', part: { text: message } },
      {
        type: 'tool_use',
        sessionID: 's-1',
        part: {
          callID: 't',
          tool: 'write',
          state: { status: 'completed', input: { filePath: 'note.txt', content: tool }, output: result },
        },
      },
      { type: 'step_finish', sessionID: 's-1', part: { reason: 'stop', tokens: { total: 100 }, cost: 0.25 } },
      ...(error === undefined
        ? []
        : [{ type: 'error', sessionID: 's-1', error: { name: 'UnknownError', data: { message: error } } }]),
    ],
  },
}

const READERS: Readonly<Record<string, StreamReader>> = {
  claude: claudeStream,
  qwen: qwen.reader,
  codex: codex.reader,
  gemini: gemini.reader,
  opencode: opencode.reader,
}

/** What the journal would keep of a stream, besides the texts: what was done, and how it ended. */
async function journaled(name: string, lines: readonly object[], exitCode: number): Promise<string> {
  // The label of a call is its command.
  const text = JSON.stringify(lines).replaceAll(/"file_?[pP]ath":"note.txt","content":/g, '"command":')
  const printed = (JSON.parse(text) as readonly object[]).map((line) => JSON.stringify(line)).join('\n')
  const reading = readStream(READERS[name] as StreamReader, printed)
  const { words: _byReference, ...details } = await detailsOf(
    reading,
    { run: 'r', iteration: 1, role: 'coder', brief: '', cwd: '/project' },
    undefined,
  )
  const ended = { status: 'exited', exitCode, output: { text: printed, bytesCut: 0 } } as const
  const line = { command: [name] }
  const ending = await endingOf({
    ended,
    reading,
    reader: READERS[name] as StreamReader,
    line,
    name,
    npmPackage: name,
    wayIn: 'Log in again',
    cwd: '/project',
    limit: { ms: 1, isRest: false },
    remarks: [],
  })
  return JSON.stringify(await redactJson({ details, ending }))
}

interface Stage {
  readonly events: readonly SealedEvent[]
  readonly texts: readonly string[]
  readonly stored: string
  readonly progress: readonly string[]
}

/** Runs a loop of three turns with a program that prints these streams, and reads everything the store keeps. */
async function run(
  name: string,
  turns: readonly { readonly lines: readonly object[]; readonly exit?: number }[],
  options: StreamAgentOptions = {},
): Promise<Stage> {
  await using folder = await temporaryFolder()
  const [project, data, program] = [join(folder.path, 'project'), join(folder.path, 'data'), join(folder.path, name)]
  for (const each of [project, data]) await mkdir(each)
  for (const [index, { lines, exit = 0 }] of turns.entries()) {
    await writeFile(join(folder.path, `turn-${index + 1}`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    await writeFile(join(folder.path, `exit-${index + 1}`), String(exit))
  }
  await writeFile(
    program,
    `#!/bin/sh\ncat > /dev/null\ncat "${folder.path}/turn-$PAWL_ITERATION"\nexit "$(cat "${folder.path}/exit-$PAWL_ITERATION")"\n`,
  )
  await chmod(program, 0o755)
  const store = sqliteStore({ path: join(data, 'pawl.db') })
  const loop = createLoop({
    loop: ralphLoop({ prompt: 'Go on.' }),
    guards: [maxIterations(turns.length)],
    agent: AGENTS[name]?.make({ program, ...options }) as Agent,
    checks: [commandCheck({ name: 'never', command: ['false'] })],
    workspace: folderWorkspace({ path: project, store: join(data, 'snapshots') }),
    store,
  })
  const progress: string[] = []
  await loop.run('r', { onProgress: ({ line }) => progress.push(line) })
  const events = await store.read('r')
  const texts = await Promise.all(
    [...JSON.stringify(events).matchAll(/"sha256":"([^"]+)","bytes":(\d+)|"bytes":(\d+),"sha256":"([^"]+)"/g)].map((match) =>
      store.getText({ sha256: match[1] ?? match[4] ?? '', bytes: Number(match[2] ?? match[3]) }),
    ),
  )
  await store.close()
  const files = await Promise.all(
    (await readdir(data)).filter((each) => each.startsWith('pawl.db')).map((each) => readFile(join(data, each), 'latin1')),
  )
  const kept = texts.filter((text) => text !== undefined)
  return { events, texts: kept, stored: [JSON.stringify(events), ...kept, ...files].join('\n'), progress }
}

function dataOf(events: readonly SealedEvent[], type: string): readonly Readonly<Record<string, unknown>>[] {
  return events.filter((event) => event.type === type).map((event) => event.data as unknown as Readonly<Record<string, unknown>>)
}

describe.each(Object.keys(AGENTS))('%s', (name) => {
  const say = AGENTS[name]?.say as Say

  test('DRIVE-26 no secret that an agent says, hands to a tool, gets from one or fails with reaches the store', async () => {
    const secrets = plantedSecrets()
    const all = secrets.map(({ text }) => text).join('\n')
    const turns = [
      { lines: say({ message: all, tool: all, result: all, turn: 1 }) },
      { lines: say({ message: 'Look', tool: 'x', result: 'y', error: all, turn: 2 }), exit: 1 },
      ...secrets.slice(0, 1).map(({ text }, index) => ({
        lines: say({ message: `I use ${text}`, tool: `echo ${text}`, result: text, turn: index + 3 }),
      })),
    ]
    const { stored, events } = await run(name, turns)
    expect(dataOf(events, 'work.finished')).toHaveLength(2)
    expect(dataOf(events, 'work.failed')).toHaveLength(1)
    expect(dataOf(events, 'work.acted')).toHaveLength(3)
    expect(secrets.filter(({ secret }) => stored.includes(secret)).map((each) => each.name)).toEqual([])
  })

  test('SECRET-27 no key that Pawl hands to an agent reaches the store or is shown, whatever it looks like', async () => {
    const keys = oddKeys()
    const names = keys.map(({ secret }, index) => {
      vi.stubEnv(`ODD_${index}_KEY`, secret)
      return `ODD_${index}_KEY`
    })
    const all = keys.map(({ secret }) => secret).join('\n')
    const turns = [
      { lines: say({ message: all, tool: all, result: all, turn: 1 }) },
      { lines: say({ message: 'Look', tool: 'x', result: 'y', error: all, turn: 2 }), exit: 1 },
      ...keys.map(({ secret }, index) => ({
        lines: say({ message: `I use ${secret}`, tool: `echo ${secret}`, result: secret, turn: index + 3 }),
      })),
      ...keys.map((key, index) => ({
        lines: say({ message: straddling(key, 160), tool: straddling(key, 80), result: 'ok', turn: index + 6 }),
      })),
    ]
    const { stored, events, progress } = await run(name, turns, { environment: names })
    vi.unstubAllEnvs()
    expect(dataOf(events, 'work.acted')).toHaveLength(8)
    expect(stored).toContain('[redacted: ODD_0_KEY]')
    expect(leakedIn(stored, keys)).toEqual([])
    expect(progress.length).toBeGreaterThan(7)
    expect(leakedIn(progress.join('\n'), keys)).toEqual([])
  })

  test('SECRET-31 what is kept of its stream stays JSON, though passwords in addresses and other secrets are taken out of it', async () => {
    const password = ['correct', 'stapler', '9'].join('-')
    const address = `postgres://app:${password}@db.internal:5432/app`
    vi.stubEnv('DATABASE_URL', address)
    const others = plantedSecrets()
    const all = [address, Buffer.from(`app:${password}`).toString('base64'), ...others.map(({ text }) => text)].join('\n')
    const lines = say({ message: `I use ${address} now`, tool: `psql ${address}`, result: all, turn: 1 })
    const { stored, events, texts } = await run(name, [{ lines }], { environment: ['DATABASE_URL'] })
    vi.unstubAllEnvs()
    expect(leakedIn(stored, [{ name: 'password', text: address, secret: password }, ...others])).toEqual([])
    expect(stored).not.toContain(Buffer.from(`app:${password}`).toString('base64').slice(8, 24))
    const stream = texts.find((text) => text.startsWith('{"')) ?? ''
    expect(
      stream
        .trimEnd()
        .split('\n')
        .map((line) => Object.keys(JSON.parse(line))),
    ).toEqual(lines.map((line) => Object.keys(line)))
    expect(stream).toContain('postgres://app:[redacted: DATABASE_URL]@db.internal:5432/app now')
    expect(JSON.stringify(dataOf(events, 'work.finished'))).toContain('I use postgres://app:[redacted: DATABASE_URL]@db.internal')
    expect(dataOf(events, 'work.acted')).toHaveLength(1)
  })

  test('SECRET-22 a cut through a secret leaves no part of it in a label, a summary, a message or a trouble', async () => {
    for (const planted of plantedSecrets()) {
      const [tool, message] = [straddling(planted, 80), straddling(planted, 4000)]
      const limit = `429 Too Many Requests ${straddling(planted, 478)}`
      const kept = [
        await journaled(name, say({ message, tool, result: 'ok', turn: 1 }), 0),
        await journaled(name, say({ message: 'Look', tool, result: 'ok', error: message, turn: 1 }), 1),
        await journaled(name, say({ message: 'Look', tool, result: 'ok', error: limit, turn: 1 }), 1),
        await journaled(name, say({ message: straddlingEnd(planted, 1000), tool, result: 'ok', turn: 1 }).slice(0, -1), 1),
      ]
      expect(kept.map((text) => leakedIn(text, [planted]))).toEqual([[], [], [], []])
      expect(kept.map((text) => /"label":/.test(text))).toEqual([true, true, true, true])
    }
  })

  test('DRIVE-27 what it did is a fact before the end of its work, by the agent and its model', async () => {
    const { events, progress } = await run(name, [{ lines: say({ message: 'I write.', tool: 'hello', result: 'ok', turn: 1 }) }])
    const types = events.map(({ type }) => type)
    expect(types.indexOf('work.acted')).toBe(types.indexOf('work.finished') - 1)
    const [acted] = dataOf(events, 'work.acted')
    expect(acted).toMatchObject({ key: '1/coder/0', actions: [{ label: expect.any(String), result: expect.any(String) }] })
    expect(acted?.['files']).toEqual(name === 'codex' ? undefined : ['note.txt'])
    expect(events.find(({ type }) => type === 'work.finished')?.by).toMatchObject({ role: 'agent', name })
    expect(progress.some((line) => /note\.txt|hello/.test(line))).toBe(true)
  })

  test('DRIVE-28 a session that continues is counted by differences: after three turns, what three turns used', async () => {
    const turns = [1, 2, 3].map((turn) => ({
      lines: say({ message: `Turn ${turn}.`, tool: String(turn), result: String(turn), turn }),
    }))
    const { events } = await run(name, turns, { session: 'continue' })
    const finished = dataOf(events, 'work.finished')
    expect(finished.map(({ tokens, session }) => [tokens, session])).toEqual([
      [100, 's-1'],
      [100, 's-1'],
      [100, 's-1'],
    ])
    const cost = { claude: 0.25, opencode: 0.25 }[name]
    expect(finished.map(({ costUsd }) => costUsd)).toEqual([cost, cost, cost])
  })
})

/** A message of Gemini CLI, five characters at a time. */
function inPieces(text: string): readonly object[] {
  const pieces = text.match(/[^]{1,5}/g) ?? []
  return pieces.map((content) => ({ type: 'message', role: 'assistant', content, delta: true }))
}

test('SECRET-27 a secret in a message that comes in pieces is left out of the stream too, one that Pawl handed on and any other', async () => {
  const [odd, token] = [oddKeys()[0]?.secret ?? '', plantedSecrets().find(({ name }) => name === 'GitHub token')?.secret ?? '']
  vi.stubEnv('ODD_TOKEN', odd)
  const end = { type: 'result', status: 'success', stats: { total_tokens: 100 } }
  const { stored, progress } = await run(
    'gemini',
    [odd, token, 'nothing to hide here'].map((text) => ({ lines: [...inPieces(`I use ${text}. Done.`), end] })),
    { environment: ['ODD_TOKEN'] },
  )
  vi.unstubAllEnvs()
  const pieces = [odd, token].flatMap((text) => text.match(/[^]{6}/g) ?? [])
  const shown = [...progress, ...[...stored.matchAll(/"content":"([^"]*)"/g)].map((match) => match[1])]
  expect(shown).toContain('ing t')
  expect(
    shown.filter((text) => pieces.some((piece) => text?.includes(piece) || (text?.length === 5 && piece.includes(text)))),
  ).toEqual([])
  expect(
    leakedIn(
      [stored, ...progress].join('\n'),
      [odd].map((secret) => ({ name: 'odd', text: secret, secret })),
    ),
  ).toEqual([])
})

test('DRIVE-29 a promise counts when the agent says it, not when a tool returns it', async () => {
  const say = AGENTS['claude']?.say as Say
  const promise = '<promise>COMPLETE</promise>'
  const { events } = await run('claude', [
    { lines: say({ message: 'I read the notes.', tool: 'cat notes', result: `write ${promise} when done`, turn: 1 }) },
    { lines: say({ message: `Done.\n${promise}`, tool: 'x', result: 'y', turn: 2 }) },
  ])
  expect(dataOf(events, 'promise.claimed')).toEqual([{ key: '2/coder/0', promise: 'COMPLETE' }])
})
