import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WorkRequest, WorkResult } from '../agent.ts'
import { claudeAgent } from '../claude.ts'
import { codexAgent } from '../codex.ts'
import { geminiAgent } from '../gemini.ts'
import { opencodeAgent } from '../opencode.ts'
import { qwen, qwenAgent } from '../qwen.ts'
import { streamAgent, type StreamAgent, type StreamAgentOptions } from './stream-agent.ts'

const AGENTS: Readonly<Record<string, (options?: StreamAgentOptions) => StreamAgent>> = {
  claude: claudeAgent,
  codex: codexAgent,
  gemini: geminiAgent,
  qwen: qwenAgent,
  opencode: opencodeAgent,
}
const names = Object.keys(AGENTS)
const FIXTURES = join(import.meta.dirname, '..', 'fixtures')

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-stream-agent-'))
  // Writes down how it was called, then says what a real agent said and ends as that one did.
  const script = `#!/bin/sh
{ printf '%s ' "$@"; echo; cat; echo; } >> "$CALLS"
[ -z "$QWEN_CODE_SYSTEM_DEFAULTS_PATH" ] || { echo "$QWEN_CODE_SYSTEM_DEFAULTS_PATH"; cat "$QWEN_CODE_SYSTEM_DEFAULTS_PATH"; } > "$CALLS.settings"
[ -z "$FIRST" ] || { [ -e "$CALLS.again" ] || { touch "$CALLS.again"; cat "$FIRST"; exit 1; }; }
cat "$STREAM"
[ -z "$HANGS" ] || exec sleep 60
exit \${EXIT:-0}
`
  for (const name of names) {
    await writeFile(join(folder, name), script)
    await chmod(join(folder, name), 0o755)
  }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Played {
  readonly result: WorkResult
  readonly calls: string
  readonly progress: readonly string[]
  readonly starts: number
}

let count = 0

/** Runs a driver with a program that prints a recorded stream. */
async function played(
  name: string,
  stream: string,
  more: { exit?: number; variables?: Record<string, string>; options?: StreamAgentOptions; request?: Partial<WorkRequest> } = {},
): Promise<Played> {
  const calls = join(folder, `calls-${++count}`)
  const variables = {
    STREAM: stream.includes('/') ? stream : join(FIXTURES, stream),
    CALLS: calls,
    EXIT: String(more.exit ?? 0),
    ...more.variables,
  }
  const agent = AGENTS[name]?.({ program: join(folder, name), variables, ...more.options }) as StreamAgent
  const progress: string[] = []
  let starts = 0
  const request = { run: 'r', iteration: 2, role: 'coder', brief: 'Make add add.', cwd: folder, ...more.request }
  const result = await agent.work(request, {
    signal: new AbortController().signal,
    started: async () => void starts++,
    progress: (line) => progress.push(line),
  })
  return { result, calls: await readFile(calls, 'utf8').catch(() => ''), progress, starts }
}

describe.each(names)('%s', (name) => {
  test('DRIVE-13 work that the agent says is done is finished, with session, model, tokens, tools and words', async () => {
    const { result, calls, progress } = await played(name, `${name}-fixed.jsonl`)
    expect(result).toMatchObject({
      status: 'finished',
      exitCode: 0,
      summary: 'I made the change.',
      words: 'I made the change.',
      tokens: 330,
      session: expect.any(String),
      actions: [{ result: expect.any(String) }, { result: expect.any(String) }],
    })
    expect(calls).toContain('Make add add.')
    expect(progress.at(-1)).toBe('I made the change.')
  })

  test('DRIVE-49 a cost that the agent does not know is absent, never 0', async () => {
    const { result } = await played(name, `${name}-fixed.jsonl`)
    expect('costUsd' in result ? result.costUsd : 'absent').toBe(name === 'claude' ? 0.0018 : 'absent')
  })

  test('DRIVE-14 exit code 0 without the agent saying that it is done is a failure of the agent', async () => {
    const whole = await readFile(join(FIXTURES, `${name}-fixed.jsonl`), 'utf8')
    const cut = join(folder, `${name}-cut.jsonl`)
    await writeFile(cut, whole.split('\n').slice(0, -3).join('\n'))
    expect((await played(name, cut)).result).toMatchObject({
      status: 'failed',
      fault: 'agent',
      message: expect.stringContaining('ended without saying that it was done'),
    })
  })

  test('DRIVE-14 a program that ends without an event did not get as far as its work: a fault of the configuration', async () => {
    const words = join(folder, 'words')
    await writeFile(words, 'error: unknown option\n')
    for (const exit of [0, 2])
      expect((await played(name, words, { exit })).result).toMatchObject({
        status: 'failed',
        fault: 'config',
        message: expect.stringContaining('error: unknown option'),
        fix: expect.stringContaining('npm install -g '),
      })
  })

  test('DRIVE-15 with session: continue the last session continues, and what it used before is subtracted', async () => {
    const recorded = await readFile(join(FIXTURES, `${name}-resumed.jsonl`), 'utf8')
    const id = /"(?:session_id|thread_id|sessionID)":"([^"]+)"/.exec(recorded)?.[1] ?? ''
    const lastSession = { id, used: { tokens: 330, costUsd: 0.0018 } }
    const { result, calls } = await played(name, `${name}-resumed.jsonl`, {
      options: { session: 'continue' },
      request: { lastSession },
    })
    expect(result).toMatchObject({ status: 'finished', tokens: 330, session: id })
    expect(result.status === 'finished' && result.costUsd).toBe(name === 'claude' ? 0.0018 : undefined)
    expect(calls).toContain(id)
    expect(calls).toContain('This session continues.')
    const fresh = await played(name, `${name}-fixed.jsonl`, { request: { lastSession } })
    expect(fresh.calls).not.toContain(id)
    expect(fresh.calls).not.toContain('This session continues.')
  })

  test('DRIVE-16 a session that the agent has forgotten is begun again, in the same piece of work', async () => {
    const { result, calls, progress, starts } = await played(name, `${name}-fixed.jsonl`, {
      variables: { FIRST: join(FIXTURES, `${name}-gone.jsonl`) },
      options: { session: 'continue' },
      request: { lastSession: { id: 'forgotten', used: { tokens: 7 } } },
    })
    const remark = `${name} did not know its session forgotten any more, so a new one began.`
    expect(result).toMatchObject({ status: 'finished', tokens: 330, summary: `${remark}\nI made the change.` })
    expect(calls.match(/Make add add\./g)).toHaveLength(2)
    expect(calls.match(/forgotten/g)).toHaveLength(1)
    expect(starts).toBe(2)
    expect(progress).toContain(remark)
  })

  test('DRIVE-40 words about a lost session do not make work be done again that was done, or begun', async () => {
    const gone = (await readFile(join(FIXTURES, `${name}-gone.jsonl`), 'utf8')).replaceAll(/\\?["\n]/g, ' ')
    const whole = await readFile(join(FIXTURES, `${name}-fixed.jsonl`), 'utf8')
    const telling = whole.replaceAll('I made the change.', `I made the change: ${gone.trim()}`)
    expect(telling).not.toBe(whole)
    const stream = join(folder, `${name}-telling.jsonl`)
    const request = { lastSession: { id: 'known' } }
    await writeFile(stream, telling)
    const done = await played(name, stream, { options: { session: 'continue' }, request })
    expect(done.result).toMatchObject({ status: 'finished', tokens: 330 })
    expect([done.starts, done.calls.match(/Make add add\./g)]).toMatchObject([1, { length: 1 }])
    await writeFile(stream, telling.trimEnd().split('\n').slice(0, -1).join('\n'))
    const begun = await played(name, stream, { exit: 1, options: { session: 'continue' }, request })
    expect([begun.result.status, begun.starts]).toEqual(['failed', 1])
  })

  test('DRIVE-17 model, permissions and further arguments are passed on, and the mildest mode that edits is the default', async () => {
    const { calls: usual } = await played(name, `${name}-fixed.jsonl`)
    expect(usual).not.toMatch(/yolo|dangerous|bypass|full-access|--auto\b/)
    const { calls } = await played(name, `${name}-fixed.jsonl`, {
      options: { model: 'big/one', permissionMode: 'full', arguments: ['--extra', 'x'] },
    })
    expect(calls).toMatch(/(?:-m|--model) big\/one /)
    expect(calls).toMatch(/yolo|dangerously-bypass|bypassPermissions|--auto/)
    expect(calls).toMatch(/ --extra x $/m)
    const { calls: reading } = await played(name, `${name}-fixed.jsonl`, { options: { permissionMode: 'read' } })
    expect(reading).toMatch(/plan|read-only|pawl-read/)
  })

  test('DRIVE-18 a missing agent is reported before the work, with the way to install it', async () => {
    const usual = AGENTS[name]?.({ variables: { PATH: folder }, program: name })
    await rename(join(folder, name), join(folder, `${name}.away`))
    const trouble = await usual?.ready(folder)
    await rename(join(folder, `${name}.away`), join(folder, name))
    expect(trouble).toMatchObject({ fault: 'config', fix: expect.stringContaining('npm install -g ') })
    const own = await AGENTS[name]?.({ program: 'no-such-agent-program' }).ready(folder)
    expect(own).toMatchObject({ fault: 'config', fix: expect.stringContaining(`Correct the \`program\` of ${name}`) })
    expect(own?.fix).not.toContain('npm install')
    const { result, starts } = await played(name, 'x', { options: { program: join(folder, 'nobody') } })
    expect(result).toMatchObject({ status: 'failed', fault: 'config' })
    expect(starts).toBe(1)
  })

  test('DRIVE-19 options that cannot work are refused, and an agent is built again from its data', () => {
    const make = AGENTS[name] as (options: object) => StreamAgent
    for (const bad of [
      { permissionMode: 'all' },
      { session: 'new' },
      { model: '-x' },
      { model: 'a b' },
      { timeoutMs: 0 },
      { environment: ['A=b'] },
    ])
      expect(() => make(bad)).toThrow(expect.objectContaining({ name: 'PawlError' }))
    const { spec } = make({ model: 'm', session: 'continue' })
    expect(spec).toEqual({ name, v: 1, settings: { model: 'm', session: 'continue' } })
    expect(make(spec.settings).spec).toEqual(spec)
  })
})

test.each([
  ['claude', 'limit', 1, 'provider-limit'],
  ['codex', 'limit', 1, 'provider-limit'],
  ['gemini', 'limit', 173, 'provider-limit'],
  ['codex', 'server-error', 1, 'provider-limit'],
  ['codex', 'unauthorized', 1, 'config'],
  ['gemini', 'unauthorized', 145, 'config'],
  ['qwen', 'unauthorized', 1, 'config'],
  ['qwen', 'unauthorized-as-success', 0, 'config'],
  ['opencode', 'unauthorized', 1, 'config'],
  ['claude', 'unreachable', 1, 'provider-limit'],
  ['claude', 'no-network', 1, 'provider-limit'],
  ['claude', 'cut', 1, 'provider-limit'],
  ['codex', 'reset', 1, 'provider-limit'],
  ['codex', 'cut', 1, 'provider-limit'],
  ['gemini', 'cut', 1, 'provider-limit'],
  ['qwen', 'unreachable', 1, 'provider-limit'],
  ['qwen', 'cut', 1, 'provider-limit'],
])('DRIVE-21 %s: the ending of a recorded %s (exit code %i) is a fault of the kind %s', async (name, what, exit, fault) => {
  const { result } = await played(name, `${name}-${what}.jsonl`, { exit })
  expect(result).toMatchObject({ status: 'failed', fault, message: expect.stringContaining(name), exitCode: exit })
  expect(result).not.toHaveProperty('summary')
})

test.each([
  ['claude', 'server-error', 'provider-limit'],
  ['claude', 'unauthorized', 'config'],
  ['gemini', 'server-error', 'provider-limit'],
  ['opencode', 'limit', 'provider-limit'],
  ['qwen', 'limit', 'agent'],
])('DRIVE-22 %s that still tries at its time limit (%s): %s', async (name, what, fault) => {
  const { result } = await played(name, `${name}-${what}.jsonl`, { variables: { HANGS: '1' }, options: { timeoutMs: 700 } })
  expect(result).toMatchObject({ status: 'timed-out', fault })
})

test.each(['claude', 'codex', 'gemini', 'opencode'])(
  'DRIVE-56 %s that could not reach its provider until its time limit was not slow itself, unless it got on meanwhile',
  async (name) => {
    const recorded = await readFile(join(FIXTURES, `${name}-unreachable.jsonl`), 'utf8')
    // Claude Code gave up here: before that it was trying.
    const trying = recorded.split('\n').slice(0, name === 'claude' ? 2 : undefined)
    const stream = join(folder, `${name}-trying.jsonl`)
    const limited = { variables: { HANGS: '1' }, options: { timeoutMs: 700 } }
    await writeFile(stream, trying.join('\n'))
    const { result, progress } = await played(name, stream, limited)
    expect(result).toMatchObject({
      status: 'timed-out',
      fault: 'provider-limit',
      message: expect.stringMatching(/^The provider (?:of \w+ cannot be reached|cannot serve \w+ now): /),
    })
    expect(progress.at(-1)).toMatch(/^waits for its provider: /)
    const [, ...working] = (await readFile(join(FIXTURES, `${name}-fixed.jsonl`), 'utf8')).split('\n')
    await writeFile(stream, [...trying, ...working.slice(0, -3)].join('\n'))
    expect((await played(name, stream, limited)).result).toMatchObject({ status: 'timed-out', fault: 'agent' })
  },
)

test('DRIVE-56 an answer that Claude Code or Codex only thinks about is one', async () => {
  const thought = { type: 'assistant', message: { id: 'm', model: 'x', content: [{ type: 'thinking', thinking: 'Hm.' }] } }
  const reasoned = { type: 'item.completed', item: { id: 'i', type: 'reasoning', text: 'Hm.' } }
  for (const [name, event, lines] of [
    ['claude', thought, 2],
    ['codex', reasoned, undefined],
  ] as const) {
    const recorded = (await readFile(join(FIXTURES, `${name}-unreachable.jsonl`), 'utf8')).trimEnd().split('\n')
    const stream = join(folder, `${name}-thinking.jsonl`)
    await writeFile(stream, `${[...recorded.slice(0, lines), JSON.stringify(event)].join('\n')}\n`)
    const { result } = await played(name, stream, { variables: { HANGS: '1' }, options: { timeoutMs: 700 } })
    expect(result).toMatchObject({ status: 'timed-out', fault: 'agent' })
  }
})

test('DRIVE-57 after a refused key the variables are named that the agent sees, those that were named besides included', async () => {
  const { result } = await played('claude', 'claude-unauthorized.jsonl', { exit: 1, options: { environment: ['OUR_KEY'] } })
  expect(result).toMatchObject({
    fault: 'config',
    fix: 'Log claude in again, or put a valid key into a variable that is passed on to it (ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, CLAUDE_CODE_OAUTH_TOKEN, OUR_KEY; name any other in `environment`); then resume.',
  })
  const codex = await played('codex', 'codex-unauthorized.jsonl', { exit: 1 })
  expect(codex.result).toMatchObject({ fix: expect.stringContaining('(OPENAI_API_KEY, CODEX_API_KEY; name any other') })
})

test('DRIVE-23 of an agent that crashes or hangs in the middle the actions until then are kept', async () => {
  const whole = await readFile(join(FIXTURES, 'claude-fixed.jsonl'), 'utf8')
  const half = join(folder, 'half.jsonl')
  await writeFile(half, whole.split('\n').slice(0, 4).join('\n'))
  const { result } = await played('claude', half, { variables: { HANGS: '1' }, options: { timeoutMs: 700 } })
  expect(result).toMatchObject({
    status: 'timed-out',
    fault: 'agent',
    message: expect.stringMatching(/^claude was not done within 0.7 s and was ended\./),
    actions: [{ name: 'Read', result: expect.any(String) }, { name: 'Edit' }],
    session: expect.any(String),
    tokens: 202,
  })
  expect(result.status === 'timed-out' && result.actions?.[1]).not.toHaveProperty('result')
})

test('DRIVE-24 a flood of output is read in bounded memory, and what is too long or broken is counted', async () => {
  const flood = join(folder, 'flood')
  await writeFile(
    flood,
    `#!/bin/sh
head -n 2 "$STREAM"
head -c 60000000 /dev/zero | tr '\\0' 'x'
echo; echo '{"type":"assist'
tail -n +3 "$STREAM"
`,
  )
  await chmod(flood, 0o755)
  const { result } = await played('claude', 'claude-fixed.jsonl', { options: { program: flood } })
  expect(result).toMatchObject({
    status: 'finished',
    summary:
      'I made the change.\nA line of its output was no whole JSON and not read.\nA line of its output was too long and not read.',
  })
  expect(result.status === 'finished' && result.output?.bytesCut).toBeGreaterThan(59_000_000)
})

test('DRIVE-25 an abort ends the agent, and no time left begins nothing', async () => {
  const agent = claudeAgent({
    program: join(folder, 'claude'),
    variables: { STREAM: join(FIXTURES, 'claude-fixed.jsonl'), CALLS: join(folder, 'c'), HANGS: '1' },
  })
  const abort = new AbortController()
  const request = { run: 'r', iteration: 1, role: 'coder', brief: 'b', cwd: folder }
  const context = { signal: abort.signal, started: async () => undefined, progress: () => abort.abort() }
  expect(await agent.work(request, context)).toMatchObject({ status: 'aborted' })
  const late = await agent.work({ ...request, deadlineMs: 0 }, { ...context, signal: new AbortController().signal })
  expect(late).toMatchObject({ status: 'timed-out', message: 'No time was left for claude to begin.' })
})

test('DRIVE-60 an agent that is ended because no more time was left is not said to have been slow', async () => {
  const agent = claudeAgent({
    program: join(folder, 'claude'),
    variables: { STREAM: join(FIXTURES, 'claude-fixed.jsonl'), CALLS: join(folder, 'rest'), HANGS: '1' },
  })
  const request = { run: 'r', iteration: 1, role: 'coder', brief: 'b', cwd: folder, deadlineMs: 700 }
  const context = { signal: new AbortController().signal, started: async () => undefined, progress: () => undefined }
  expect(await agent.work(request, context)).toMatchObject({
    status: 'timed-out',
    message: expect.stringMatching(/^No more time was left for claude: it was ended after 700 ms of work\./),
  })
})

test('DRIVE-51 an agent that is interrupted tells its session, its model and what it used until then', async () => {
  const whole = await readFile(join(FIXTURES, 'claude-fixed.jsonl'), 'utf8')
  const cut = join(folder, 'claude-cut.jsonl')
  await writeFile(cut, `${whole.trimEnd().split('\n').slice(0, -1).join('\n')}\n`)
  const variables = { STREAM: cut, CALLS: join(folder, 'cut-calls'), HANGS: '1' }
  const agent = claudeAgent({ program: join(folder, 'claude'), variables })
  const abort = new AbortController()
  const request = { run: 'r', iteration: 1, role: 'coder', brief: 'b', cwd: folder }
  const progress = (line: string) => (line.includes('I made the change') ? abort.abort() : undefined)
  const result = await agent.work(request, { signal: abort.signal, started: async () => undefined, progress })
  const told = { session: 'f1974c90-d2c9-4c45-84b6-5173142f279c', model: 'claude-opus-5-5', tokens: 303 }
  expect(result).toMatchObject({ status: 'aborted', ...told })
  expect(result).not.toHaveProperty('costUsd')
})

test('DRIVE-44 a limit that Codex hands on in the provider’s words is one, and is lifted when those say', async () => {
  const before = Date.now()
  const { result } = await played('codex', 'codex-rate-limit.jsonl', { exit: 1 })
  expect(result).toMatchObject({ status: 'failed', fault: 'provider-limit', retryAt: expect.any(Number) })
  const retryAt = 'retryAt' in result ? (result.retryAt ?? 0) : 0
  expect(retryAt).toBeGreaterThanOrEqual(before + 20_000)
  expect(retryAt).toBeLessThanOrEqual(Date.now() + 20_000)
})

test('DRIVE-47 words about an error that the model itself said are no refusal, nor is one that Qwen Code got over', async () => {
  const refusedStream = await readFile(join(FIXTURES, 'qwen-unauthorized-as-success.jsonl'), 'utf8')
  const told = '[API Error: 401 The API key is not valid.]'
  const spoken = join(folder, 'qwen-spoken.jsonl')
  await writeFile(
    spoken,
    refusedStream.replace('"usage":{"input_tokens":0,"output_tokens":0}}}', '"usage":{"input_tokens":9,"output_tokens":3}}}'),
  )
  expect((await played('qwen', spoken)).result).toMatchObject({ status: 'finished', summary: told })
  const [init = '', refusal = ''] = refusedStream.split('\n')
  const fixed = (await readFile(join(FIXTURES, 'qwen-fixed.jsonl'), 'utf8')).split('\n').slice(1)
  await writeFile(spoken, [init, refusal, ...fixed].join('\n'))
  expect((await played('qwen', spoken)).result).toMatchObject({ status: 'finished', words: 'I made the change.' })
})

test('DRIVE-48 to read only, OpenCode gets an agent that may neither edit nor run commands, by its environment alone', async () => {
  const program = join(folder, 'opencode-environment')
  await writeFile(program, '#!/bin/sh\ncat >/dev/null\nprintf %s "$OPENCODE_CONFIG_CONTENT" >"$CALLS"\ncat "$STREAM"\n')
  await chmod(program, 0o755)
  const { calls, result } = await played('opencode', 'opencode-fixed.jsonl', { options: { program, permissionMode: 'read' } })
  expect(result.status).toBe('finished')
  const { permission } = (JSON.parse(calls) as { agent: Record<string, { permission: object }> }).agent['pawl-read'] ?? {}
  expect(permission).toMatchObject({
    '*': 'deny',
    edit: 'deny',
    bash: 'deny',
    task: 'deny',
    read: { '*': 'allow', '*.env': 'deny' },
  })
  // The last rule that fits decides: what is denied to all comes first.
  expect(Object.keys(permission ?? {})[0]).toBe('*')
  expect((await played('opencode', 'opencode-fixed.jsonl', { options: { program } })).calls).toBe('')
  for (const set of [{ variables: { OPENCODE_CONFIG_CONTENT: '{}' } }, { environment: ['OPENCODE_CONFIG_CONTENT'] }]) {
    expect(() => opencodeAgent({ permissionMode: 'read', ...set })).toThrow(/Pawl itself sets OPENCODE_CONFIG_CONTENT/)
    expect(() => opencodeAgent(set)).not.toThrow()
  }
})

test('DRIVE-50 the model that Codex worked with is read from its own record of the session, if none was asked for', async () => {
  const home = join(folder, 'codex-home')
  const thread = '01a1e409-271e-7cb1-8f36-975847d03ea9'
  const stream = join(folder, 'codex-thread.jsonl')
  const fixed = await readFile(join(FIXTURES, 'codex-fixed.jsonl'), 'utf8')
  await writeFile(stream, fixed.replace(/"thread_id":"[^"]+"/, `"thread_id":"${thread}"`))
  const variables = { CODEX_HOME: home }
  expect((await played('codex', stream, { variables })).result).not.toHaveProperty('model')
  const day = join(home, 'sessions', '2026', '11', '16')
  await mkdir(day, { recursive: true })
  const turns = ['gpt-first', 'gpt-second'].map((model) =>
    JSON.stringify({ type: 'turn_context', payload: { cwd: '/project', model } }),
  )
  await writeFile(join(day, `rollout-2026-11-16T11-06-07-${thread}.jsonl`), `${turns.join('\n')}\n{"type":`)
  expect((await played('codex', stream, { variables })).result).toMatchObject({ status: 'finished', model: 'gpt-second' })
  const chosen = await played('codex', stream, { variables, options: { model: 'gpt-third' } })
  expect(chosen.result).not.toHaveProperty('model')
})

test('DRIVE-45 what an agent prints about its own set-up is neither its last words nor told as what it does', async () => {
  const streams = {
    codex: `WARNING: proceeding, even though we could not create PATH aliases: no\n2026-11-16T05:24:57.848Z ERROR codex_core::x: no\n{"type":"thread.started","thread_id":"s"}\n`,
    gemini:
      'Warning: Basic terminal detected (TERM=dumb). Visual rendering will be limited. For the best experience, use a terminal emulator with truecolor support.\nRipgrep is not available. Falling back to GrepTool.\n{"type":"init","session_id":"s","model":"m"}\n',
    qwen: 'Ripgrep not available: spawn /opt/rg EACCES. Falling back to built-in grep.\n{"type":"system","subtype":"init","session_id":"s"}\n',
  }
  for (const [name, text] of Object.entries(streams)) {
    const stream = join(folder, `${name}-noise.jsonl`)
    await writeFile(stream, text)
    const silent = await played(name, stream, { exit: 1 })
    expect(silent.result).toMatchObject({ status: 'failed', message: expect.stringContaining('It said nothing.') })
    expect(silent.progress).toEqual([])
    await writeFile(stream, `${text}It went wrong.\n`)
    const speaking = await played(name, stream, { exit: 1 })
    expect(speaking.result).toMatchObject({ message: expect.stringMatching(/It last said:\nIt went wrong\.$/) })
  }
})

/** What an agent prints that was denied these calls. */
const streamWith = async (denials: readonly object[]): Promise<string> => {
  const path = join(folder, `denied-${++count}.jsonl`)
  const last = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    session_id: 's',
    result: 'I could not.',
    total_cost_usd: 0.1,
  }
  const message = { id: 'm', content: [{ type: 'text', text: 'I could not.' }], usage: { input_tokens: 5, output_tokens: 5 } }
  const lines = [
    { type: 'assistant', session_id: 's', message },
    { ...last, permission_denials: denials },
  ]
  await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return path
}

describe('calls that the agent denied itself', () => {
  const tool = { tool_name: 'Bash', tool_use_id: 't', tool_input: { command: 'npm install left-pad' } }
  test.each(['claude', 'qwen'])('DRIVE-61 are reported with the way out by %s', async (name) => {
    const stream = await streamWith([tool, tool, { ...tool, tool_name: 'WebFetch', tool_input: { url: 'https://a.example' } }])
    const { result, progress } = await played(name, stream)
    const denied = {
      calls: 3,
      message: `3 calls of ${name} were denied in permission mode edit: Bash npm install left-pad, WebFetch https://a.example.`,
      fix: `Allow what it needs in ${name}'s own settings, or continue with --permission-mode full in a container.`,
    }
    expect(result).toMatchObject({ status: 'finished', summary: 'I could not.', denied })
    expect(progress).toContain(`${denied.message} ${denied.fix}`)
  })

  test('DRIVE-61 not mentioned if there were none', async () => {
    const { result } = await played('claude', await streamWith([]))
    expect(result).toMatchObject({ summary: 'I could not.' })
    expect(result).not.toHaveProperty('denied')
  })
})

/** The file of settings that Qwen was given, and its text. */
const settingsIn = async (variables: Record<string, string>) => {
  const { result } = await played('qwen', 'qwen-fixed.jsonl', { variables })
  expect(result.status).toBe('finished')
  return (await readFile(join(folder, `calls-${count}.settings`), 'utf8')).split('\n')
}

describe('settings of an agent for one call', () => {
  test('DRIVE-62 a temporary file keeps Qwen from trying again without end', async () => {
    const [path = '', settings = ''] = await settingsIn({})
    expect(JSON.parse(settings)).toEqual({ model: { generationConfig: { maxRetries: 0 } } })
    await expect(readFile(path)).rejects.toThrow('ENOENT')
  })

  test('DRIVE-62 a file that the user names is left to be', async () => {
    const own = join(folder, 'own.json')
    await writeFile(own, '{}')
    expect(await settingsIn({ QWEN_CODE_SYSTEM_DEFAULTS_PATH: own })).toEqual([own, '{}'])
  })
})

const words = (text: string) =>
  `${JSON.stringify({ type: 'assistant', session_id: 's', message: { id: text, content: [{ type: 'text', text }] } })}\n`
const playedLong = async (stream: string, more: { refusedMsMax: number; timeoutMs: number }): Promise<WorkResult> => {
  const path = join(folder, `refused-${++count}.jsonl`)
  await writeFile(path, stream)
  const variables = { STREAM: path, CALLS: `${path}.calls`, HANGS: 'yes' }
  const kind = { ...qwen, refusedMsMax: more.refusedMsMax }
  const agent = streamAgent(kind, { program: join(folder, 'qwen'), variables, timeoutMs: more.timeoutMs })
  return agent.work(
    { run: 'r', iteration: 1, role: 'coder', brief: 'b', cwd: folder },
    { signal: new AbortController().signal, started: async () => undefined, progress: () => undefined },
  )
}

describe('an agent whose provider refuses it and that tries again by itself', () => {
  const waiting = '[qwen-code] Waiting for API capacity... attempt 3, retry in 45s\n'
  const limited = { status: 'timed-out', fault: 'provider-limit', retryAt: expect.any(Number) }

  test("DRIVE-64 is ended when that takes too long, and the fault is the provider's", async () => {
    expect(await playedLong(words('Begun.') + waiting, { refusedMsMax: 300, timeoutMs: 600_000 })).toMatchObject(limited)
  })

  test('DRIVE-64 and so it is where its own time is over before', async () => {
    expect(await playedLong(words('Begun.') + waiting, { refusedMsMax: 50_000, timeoutMs: 500 })).toMatchObject(limited)
  })

  test('DRIVE-64 is left alone if it made progress since', async () => {
    const result = await playedLong(waiting + words('I go on.'), { refusedMsMax: 100, timeoutMs: 1000 })
    expect(result).toMatchObject({ status: 'timed-out', fault: 'agent', message: expect.stringContaining('I go on.') })
  })
})

test('DRIVE-82 Claude Code gets what is left of the money, and stopping there is no failure', async () => {
  const stream = join(folder, 'at-limit.jsonl')
  const usage = { input_tokens: 100, output_tokens: 10 }
  const events = [
    { type: 'system', subtype: 'init', session_id: 's-1', model: 'm' },
    {
      type: 'assistant',
      session_id: 's-1',
      message: { id: 'm1', model: 'm', usage, content: [{ type: 'text', text: 'I look.' }] },
    },
    {
      type: 'result',
      subtype: 'error_max_budget_usd',
      is_error: true,
      errors: ['Reached maximum budget ($0.25)'],
      session_id: 's-1',
      total_cost_usd: 0.26,
      usage,
    },
  ]
  await writeFile(stream, events.map((event) => JSON.stringify(event)).join('\n'))
  const { result, calls } = await played('claude', stream, { exit: 1, request: { costUsdMax: 0.25 } })
  expect(calls).toContain('--max-budget-usd 0.25')
  expect(result).toMatchObject({ status: 'finished', isAtLimit: true, costUsd: 0.26, words: 'I look.' })
  expect((await played('claude', 'claude-fixed.jsonl')).calls).not.toContain('--max-budget-usd')
})

test.each([
  ['claude', 'claude-fixed.jsonl', ['--allowedTools Bash(npm test)', '--allowedTools Bash(npm run "my lint")']],
  ['gemini', 'gemini-fixed.jsonl', ['--allowed-tools run_shell_command(npm test)']],
  ['qwen', 'qwen-fixed.jsonl', ['--allowed-tools run_shell_command(npm test)']],
  ['codex', 'codex-fixed.jsonl', []],
  ['opencode', 'opencode-fixed.jsonl', []],
] as const)(
  'ENV-1 %s may run the commands of the checks, and no pattern that a command would be read as',
  async (name, stream, rules) => {
    const commands = ['npm test', 'npm run "my lint"', 'eslint src/*.js', 'sh -c "(exit 1)"', 'npm test']
    const { calls } = await played(name, stream, { request: { commands } })
    for (const rule of rules) expect(calls).toContain(rule)
    for (const other of ['eslint', 'exit 1']) expect(calls).not.toContain(other)
    expect(calls.split('npm test').length - 1).toBe(rules.length === 0 ? 0 : 1)
    for (const permissionMode of ['read', 'full'] as const)
      expect((await played(name, stream, { request: { commands }, options: { permissionMode } })).calls).not.toContain('npm test')
  },
)
