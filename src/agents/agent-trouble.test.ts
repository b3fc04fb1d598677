import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/process-support.ts'
import { agentTrouble } from './agent-trouble.ts'

const NOW = Date.parse('2026-11-16T12:30:00Z')

interface End {
  readonly exitCode?: number
  readonly program?: string
}

async function trouble(text: string, { exitCode = 1, program = 'claude' }: End = {}) {
  const result = { status: 'exited', exitCode, output: { text: `${text}\n`, bytesCut: 0 } } as const
  return agentTrouble({ result, line: { command: [program] }, cwd: temporaryFolder(), now: NOW })
}

const json = (...events: readonly unknown[]) => events.map((event) => JSON.stringify(event)).join('\n')
const INIT = { type: 'system', subtype: 'init', session_id: 'a' }
const THREE_PM = Date.parse('2026-11-16T15:00:00Z')
/** A time of day names a minute, which has to be over. */
const AFTER_THREE_PM = THREE_PM + 60_000

test.each<[string, string, string, number?]>([
  [
    'Claude: status',
    json(INIT, { type: 'result', subtype: 'success', is_error: true, api_error_status: 429, result: 'no' }),
    'provider-limit',
  ],
  [
    'Claude: words',
    json({ type: 'result', is_error: true, result: "You've hit your session limit · resets 3pm (UTC)" }),
    'provider-limit',
    AFTER_THREE_PM,
  ],
  [
    'Claude: epoch',
    json({ type: 'result', is_error: true, result: `Claude AI usage limit reached|${THREE_PM / 1000}` }),
    'provider-limit',
    THREE_PM,
  ],
  [
    'Claude: window',
    json(
      { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: THREE_PM / 1000 } },
      { type: 'result', is_error: true, api_error_status: 429, result: 'Too much.' },
    ),
    'provider-limit',
    THREE_PM,
  ],
  [
    'Claude: array',
    JSON.stringify([INIT, { type: 'result', is_error: true, api_error_status: 529, result: 'x' }]),
    'provider-limit',
  ],
  ['Claude: login', json({ type: 'result', is_error: true, result: 'Invalid API key · Please run /login' }), 'config'],
  ['Claude: money', json({ type: 'result', is_error: true, result: 'Credit balance is too low' }), 'config'],
  ['Claude: down', json({ type: 'result', is_error: true, result: 'API Error: 500 {"type":"error"}' }), 'provider-limit'],
  [
    'Codex: limit',
    json({
      type: 'turn.failed',
      error: { message: "You've hit your usage limit. Upgrade to Pro or try again in 2 hours 30 minutes." },
    }),
    'provider-limit',
    THREE_PM,
  ],
  ['Codex: login', json({ type: 'turn.failed', error: { message: 'unexpected status 401 Unauthorized: no key' } }), 'config'],
  ['Gemini', json({ type: 'result', status: 'error', error: { type: 'Error', message: 'quota', code: 429 } }), 'provider-limit'],
  [
    'Gemini, one object',
    JSON.stringify({ session_id: 'a', error: { type: 'x', message: 'no', code: 401 } }, undefined, 2),
    'config',
  ],
  [
    'OpenCode',
    json({
      type: 'error',
      error: { name: 'APIError', data: { message: 'slow down', statusCode: 429, responseHeaders: { 'retry-after': '9000' } } },
    }),
    'provider-limit',
    THREE_PM,
  ],
  [
    'OpenAI: unpaid',
    json({
      type: 'error',
      error: { type: 'insufficient_quota', message: 'You exceeded your current quota', code: 'insufficient_quota' },
      status: 429,
    }),
    'config',
  ],
  [
    'Claude: nobody there',
    json({ type: 'result', is_error: true, api_error_status: null, api_error: 'connection_failed', result: 'no' }),
    'provider-limit',
  ],
  [
    'Codex: no network',
    json({ type: 'turn.failed', error: { message: 'stream disconnected before completion: error sending request' } }),
    'provider-limit',
  ],
  [
    'Gemini: no network',
    json({
      type: 'result',
      status: 'error',
      error: { type: 'unknown', message: '[API Error: exception TypeError: fetch failed sending request]' },
    }),
    'provider-limit',
  ],
  [
    'OpenCode: no network',
    json({ type: 'error', error: { name: 'UnknownError', data: { message: 'Cannot connect to API: Unable to connect.' } } }),
    'provider-limit',
  ],
  [
    'any: no name server',
    json({ type: 'error', message: 'request to https://api.example/v1 failed, reason: getaddrinfo ENOTFOUND api.example' }),
    'provider-limit',
  ],
  [
    'pi',
    json({ type: 'message_end', message: { role: 'assistant', stopReason: 'error', errorMessage: '429 {"error":{}}' } }),
    'provider-limit',
  ],
])('AGENT-10 the last event of an agent’s JSON says whose fault it is: %s', async (_what, text, fault, retryAt) => {
  const expected = retryAt === undefined ? { fault } : { fault, retryAt }
  expect(await trouble(text)).toMatchObject(expected)
  expect(await trouble(`${text}\nwarning: the cache is old`)).toMatchObject(expected)
  expect(await trouble(text, { exitCode: 0 })).toMatchObject(expected)
  const found = await trouble(text)
  const isMendable = fault === 'config' || /cannot be reached/.test(found?.message ?? '')
  expect(found?.fix === undefined).toBe(!isMendable)
})

test.each<[string, string, string, number?]>([
  ['Claude', "You've hit your session limit · resets 3pm (UTC)", 'provider-limit', AFTER_THREE_PM],
  ['Claude, older', `Claude AI usage limit reached|${THREE_PM / 1000}`, 'provider-limit', THREE_PM],
  ['Claude, weekly', 'Weekly limit reached ∙ resets Nov 16, 3pm (UTC)', 'provider-limit', AFTER_THREE_PM],
  ['Claude, status', 'API Error: 429 {"type":"error","error":{"type":"rate_limit_error"}}', 'provider-limit'],
  ['Claude, refused', 'API Error: Request rejected (429) · try again in 2h 30m', 'provider-limit', THREE_PM],
  ['Claude, overloaded', 'API Error: Repeated 529 Overloaded errors', 'provider-limit'],
  [
    'Codex',
    "ERROR: You've hit your usage limit. Visit the page or try again at Nov 16th, 2026 3:00 PM UTC.",
    'provider-limit',
    AFTER_THREE_PM,
  ],
  ['Codex, status', 'ERROR: exceeded retry limit, last status: 429 Too Many Requests, request id: 1', 'provider-limit'],
  ['Codex, money', 'ERROR: Quota exceeded. Check your plan and billing details.', 'config'],
  ['Python', "openai.RateLimitError: Error code: 429 - {'error': {'code': 'rate_limit_exceeded'}}", 'provider-limit'],
  ['any, in lower case', 'error: 429 rate limit exceeded, Retry-After: 4', 'provider-limit', NOW + 4000],
  ['any, the words first', 'rate limit exceeded (429). Retry-After: 4', 'provider-limit', NOW + 4000],
  ['Python, money', "openai.RateLimitError: Error code: 429 - {'error': {'code': 'insufficient_quota'}}", 'config'],
  ['aider', 'litellm.RateLimitError: slow down', 'provider-limit'],
  ['login', 'Error: 401 Unauthorized', 'config'],
  [
    'Claude, nobody there',
    'API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)',
    'provider-limit',
  ],
  ['Claude, no network', "API Error: Can't reach the API server — check your internet or DNS (ENOTFOUND)", 'provider-limit'],
  [
    'Claude, cut',
    'API Error: Connection to the API was lost (ECONNRESET). This is usually temporary — try again.',
    'provider-limit',
  ],
  ['Claude, older, no network', 'API Error: Connection error.', 'provider-limit'],
  ['Qwen, nobody there', '[API Error: Connection error. (cause: fetch failed)]', 'provider-limit'],
])('AGENT-11 the last line of a failed agent says so in the forms agents use: %s', async (_what, line, fault, retryAt) => {
  expect(await trouble(`working\n${line}`)).toMatchObject(retryAt === undefined ? { fault } : { fault, retryAt })
  expect(await trouble(`working\n${line}`, { exitCode: 0 })).toBeUndefined()
  expect(await trouble(`${line}\nI waited.\nNow I go on.\nThe tests fail still.`)).toBeUndefined()
})

test.each([
  ['a test of a limit', 'rate limit exceeded is answered with 429'],
  ['a limit in prose', 'I added the rate limit to the API.'],
  ['a package name', 'npm install @upstash/ratelimit'],
  ['a finding about limits', 'publish-intent rate limiting has a race window'],
  ['a test name', 'PASS [0.229s] store::tests::record_rate_limit_returns_id'],
  ['a list of issues', '#181  OPEN  Rate limit detector: usage limit reached  bug'],
  ['a number', 'error on line 529'],
  ['many tests', '429 tests failed'],
  ['many tests, as an error', 'Error: 429 tests failed'],
  ['an expectation', 'Error: expected status 429 but got 200'],
  ['an assertion', 'AssertionError: expected 200 to equal 429'],
  ['an answer in a log', 'GET /login 429 Too Many Requests 12ms'],
  ['a test’s error, then its results', 'Running tests\nError: 429 Too Many Requests\n1 test failed'],
  ['a quoted limit', "> You've hit your session limit · resets 3pm"],
  ['an indented limit', "    You've hit your usage limit."],
  ['success', json({ type: 'result', is_error: false, result: 'Handled the 429 rate limit.' })],
  ['"is_error": false in text', '"is_error": false, "api_error_status": 429'],
  [
    'a tool that failed',
    json({ type: 'user', message: { content: [{ type: 'tool_result', is_error: true, content: '429 Too Many Requests' }] } }),
  ],
  ['a window that is open', json({ type: 'rate_limit_event', rate_limit_info: { status: 'allowed', resetsAt: 1 } })],
  [
    'its own bound',
    json({ type: 'result', subtype: 'error_max_turns', is_error: true, errors: ['Reached maximum number of turns (3)'] }),
  ],
  ['a warning of Codex', json({ type: 'item.completed', item: { type: 'error', message: '429 Too Many Requests' } })],
  [
    'an error it got over',
    json({ type: 'error', message: 'unexpected status 429 Too Many Requests' }, { type: 'turn.completed', usage: {} }),
  ],
  ['success, then a limit in words', json({ type: 'result', is_error: false, result: 'ok' }) + '\nError: 429 Too Many Requests'],
  ['a page that is not there', 'TypeError: fetch failed'],
  ['a connection in prose', 'I handled the API error (ECONNRESET) by asking again.'],
  ['a connection as a test’s name', 'not ok 3 - API Error: Connection refused (ECONNREFUSED)'],
  [
    'a tool that found nobody',
    json({ type: 'user', message: { content: [{ type: 'tool_result', is_error: true, content: 'connect ECONNREFUSED' }] } }),
  ],
  ['success, then a lost connection', json({ type: 'result', is_error: false, result: 'ok' }) + '\nAPI Error: Connection error.'],
  [
    'an end of Codex that is no lost connection',
    json({
      type: 'turn.failed',
      error: { message: 'stream disconnected before completion: Incomplete response returned, reason: content_filter' },
    }),
  ],
  [
    'an end about a connection that is not its own',
    json({ type: 'result', is_error: true, result: 'The tests fail: connect ECONNREFUSED 127.0.0.1:5432' }),
  ],
  ['code', "if (status === 401) throw new Error('Invalid API key')"],
  ['broken JSON', '{"type":"result","is_error":true,"api_error_status":429'],
  ['another program’s JSON', json({ error: 'rate limit', status: 429 })],
  ['an answer of a server', json({ error: { message: 'rate limit', code: 429 } })],
])('AGENT-13 what merely mentions a limit changes nothing: %s', async (_what, text) => {
  for (const exitCode of [0, 1]) expect(await trouble(text, { exitCode })).toBeUndefined()
})

test('AGENT-13 with exit code 0 an error in a log that the agent printed changes nothing', async () => {
  const event = json({ type: 'result', is_error: true, api_error_status: 429, result: 'x' })
  expect(await trouble(`Here is the log:\n${event}`, { exitCode: 0 })).toBeUndefined()
  expect(await trouble(`${event}\nThat is the log.`, { exitCode: 0 })).toBeUndefined()
})

const faults = async (program: string) =>
  Promise.all([41, 42, 52, 145, 173, 244, 1, 53].map(async (exitCode) => (await trouble('', { exitCode, program }))?.fault))

test('AGENT-14 the exit codes that Gemini documents count for Gemini only', async () => {
  expect(await faults('gemini')).toEqual([
    'config',
    'config',
    'config',
    'config',
    'provider-limit',
    'provider-limit',
    undefined,
    undefined,
  ])
  expect(new Set(await faults('mine'))).toEqual(new Set([undefined]))
})

test('AGENT-14 what the machine lacks is the machine’s fault, a missing program further down too', async () => {
  expect(await trouble('Error: ENOSPC: no space left on device, write')).toMatchObject({ fault: 'environment' })
  expect(await trouble('sh: 1: node: not found', { exitCode: 127 })).toMatchObject({ fault: 'environment' })
  expect(await trouble('Error: connect ECONNREFUSED 127.0.0.1:5432')).toMatchObject({ fault: 'environment' })
})

async function timedOut(text: string) {
  const result = { status: 'timed-out', output: { text, bytesCut: 0 } } as const
  return agentTrouble({ result, line: { command: ['gemini'] }, cwd: temporaryFolder(), now: NOW })
}

test('AGENT-14 an agent that ran out of time while its provider refused it was not slow itself', async () => {
  expect(await timedOut('Attempt 9 failed with status 429. Retrying with backoff...\n')).toMatchObject({
    fault: 'provider-limit',
  })
  expect(await timedOut('thinking\n')).toBeUndefined()
})
