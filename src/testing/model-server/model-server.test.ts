import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { APIS_UNDER_TEST, ask } from '../../../test/support/model-ask.ts'
import { modelServer } from './model-server.ts'
import { type ModelTurn, sinceUser } from './api.ts'

describe.each(APIS_UNDER_TEST)('%s', (api) => {
  test('MODEL-2 the script is asked the same whatever the API', async () => {
    const turns: ModelTurn[] = []
    await using server = await modelServer({
      reply: (turn) => {
        turns.push(turn)
        return { say: 'Yes.' }
      },
    })
    await ask(server.url, api)
    await ask(server.url, api, { isStreaming: true })
    expect(turns.map(({ isStreaming }) => isStreaming)).toEqual([false, true])
    const [turn] = turns as [ModelTurn]
    expect(turn).toMatchObject({ api, model: 'm', cwd: '/srv/shop' })
    expect(turn.tools).toContain('look')
    expect(turn.messages).toEqual([
      { role: 'system', text: expect.stringContaining('You are careful.'), calls: [], results: [] },
      { role: 'user', text: 'Fix it.', calls: [], results: [] },
      { role: 'assistant', text: '', calls: [{ id: 'c1', name: 'look', input: { path: 'a.txt' } }], results: [] },
      { role: 'tool', text: expect.any(String), calls: [], results: [{ id: 'c1', text: 'seen' }] },
    ])
    expect(sinceUser(turn).map(({ role }) => role)).toEqual(['assistant', 'tool'])
  })

  test.each([
    ['unauthorized', 401],
    ['server-error', 500],
  ] as const)('MODEL-3 %s is status %i in the shape of the API', async (fault, status) => {
    await using server = await modelServer({ reply: () => ({ fault }) })
    const response = await ask(server.url, api, { isStreaming: true })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject(FAILURES[api][status])
  })

  test('MODEL-3 a reached limit is status 429 and says when it ends, where the API says it', async () => {
    await using server = await modelServer({ reply: () => ({ fault: 'rate-limited', resetInSeconds: 90 }) })
    const before = Date.now()
    const response = await ask(server.url, api)
    expect(response.status).toBe(429)
    expect(await response.json()).toMatchObject(FAILURES[api][429])
    const { headers } = response
    expect(headers.get('retry-after')).toBe(api === 'gemini' ? null : '90')
    expect(headers.get('x-ratelimit-reset-requests')).toBe(api === 'responses' || api === 'chat' ? '90s' : null)
    const resetAt = Date.parse(headers.get('anthropic-ratelimit-requests-reset') ?? '')
    expect(resetAt >= before + 90_000).toBe(api === 'messages')
  })

  test('MODEL-3 a used-up plan is status 429 too, in the words the API has for it', async () => {
    await using server = await modelServer({ reply: () => ({ fault: 'rate-limited', resetInSeconds: 90, isUsedUp: true }) })
    const response = await ask(server.url, api)
    expect(response.status).toBe(429)
    const said = `${await response.text()} ${JSON.stringify([...response.headers])}`
    expect(said).toContain({ ...USED_UP, chat: USED_UP.responses }[api])
  })

  test('MODEL-4 a cut stream breaks off within an event', async () => {
    await using server = await modelServer({ reply: () => ({ fault: 'cut-stream', say: 'A long sentence that is cut.' }) })
    const response = await ask(server.url, api, { isStreaming: true })
    expect(response.status).toBe(200)
    const { text, error } = await readUntilBroken(response)
    expect(error).toBeInstanceOf(Error)
    expect(text).not.toMatch(/\n\n$/)
    expect(text.length).toBeGreaterThan(0)
  })

  test('MODEL-5 a slow stream comes piece by piece and whole', async () => {
    const say = 'Two pieces: here is one, and here is another.'
    await using server = await modelServer({ reply: () => ({ fault: 'slow-stream', gapMs: 5, say }) })
    await using quick = await modelServer({ reply: () => ({ say }) })
    const response = await ask(server.url, api, { isStreaming: true })
    const chunks: string[] = []
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) chunks.push(Buffer.from(chunk).toString())
    expect(chunks.length).toBeGreaterThan(1)
    expect(timeless(chunks.join(''))).toBe(timeless(await (await ask(quick.url, api, { isStreaming: true })).text()))
  })

  test('MODEL-6 nonsense that is not JSON', async () => {
    await using server = await modelServer({ reply: () => ({ fault: 'nonsense', kind: 'not-json', say: 'Yes.' }) })
    const streamed = await ask(server.url, api, { isStreaming: true })
    expect(streamed.status).toBe(200)
    expect(await streamed.text()).toContain('data: <html>')
    const whole = await ask(server.url, api)
    await expect(whole.json()).rejects.toThrow('JSON')
  })

  test('MODEL-6 nonsense in the wrong order', async () => {
    const say = 'Two pieces: here is one, and here is another.'
    await using server = await modelServer({ reply: () => ({ fault: 'nonsense', kind: 'wrong-order', say }) })
    await using right = await modelServer({ reply: () => ({ say }) })
    const blocks = async (url: string) => (await (await ask(url, api, { isStreaming: true })).text()).trim().split('\n\n')
    expect((await blocks(server.url)).map(timeless)).toEqual((await blocks(right.url)).map(timeless).toReversed())
    expect(await (await ask(server.url, api)).json()).toEqual([])
  })
})

test('MODEL-7 requests are kept in order, with what they carried', async () => {
  await using server = await modelServer({ reply: () => ({ say: 'Yes.' }) })
  await ask(server.url, 'chat', { headers: { 'x-agent': 'one' } })
  await fetch(`${server.url}/v1/models`)
  expect(server.requests).toMatchObject([
    { method: 'POST', path: '/v1/chat/completions', body: { model: 'm' }, headers: { 'x-agent': 'one' }, turn: { api: 'chat' } },
    { method: 'GET', path: '/v1/models', body: {} },
  ])
  expect(server.requests[1]?.turn).toBeUndefined()
})

test('MODEL-7 more requests than it may have, a request too long, an unknown address and a request that is no JSON are refused', async () => {
  await using server = await modelServer({ reply: () => ({ say: 'Yes.' }), requestsMax: 4, bodyBytesMax: 4_000 })
  const post = (path: string, body: string) => fetch(`${server.url}${path}`, { method: 'POST', body })
  const responses = [
    await ask(server.url, 'chat'),
    await post('/v1/messages', 'x'.repeat(100_000)),
    await post('//', '{}'),
    await post('/v1/responses', 'no json'),
    await ask(server.url, 'chat'),
  ]
  expect(responses.map(({ status }) => status)).toEqual([200, 413, 404, 400, 400])
  expect(await responses[4]?.text()).toContain('requestsMax')
  expect(server.requests).toHaveLength(4)
  await expect(modelServer({ reply: () => ({}), requestsMax: 0 })).rejects.toThrow('requestsMax')
})

test('MODEL-8 an error of the script reaches the agent as 400, which no agent repeats, and thrown when the server closes', async () => {
  const server = await modelServer({ reply: () => Promise.reject(new Error('no such scene')) })
  const response = await ask(server.url, 'messages')
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ type: 'error', error: { message: expect.stringContaining('no such scene') } })
  await expect(server.close()).rejects.toThrow('no such scene')
})

test('MODEL-9 closing ends answers under way, and the port is free', async () => {
  const server = await modelServer({ reply: () => ({ fault: 'slow-stream', gapMs: 60_000, say: 'Never.' }) })
  const response = await ask(server.url, 'chat', { isStreaming: true })
  const reading = readUntilBroken(response)
  await server.close()
  expect((await reading).error).toBeInstanceOf(Error)
  await expect(fetch(server.url)).rejects.toThrow('fetch failed')
})

test('MODEL-9 an agent that goes away in the middle of an answer harms nobody', async () => {
  await using server = await modelServer({ reply: () => ({ fault: 'slow-stream', gapMs: 20, say: 'Slowly. '.repeat(50) }) })
  const leaving = new AbortController()
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    body: '{"model":"m","stream":true,"messages":[]}',
    signal: leaving.signal,
  })
  await response.body?.getReader().read()
  leaving.abort()
  await sleep(50)
  expect((await fetch(`${server.url}/v1/models`)).status).toBe(404)
})

function timeless(text: string): string {
  return text.replaceAll(/"created(?:_at)?":\d+/g, '')
}

async function readUntilBroken(response: Response): Promise<{ readonly text: string; readonly error?: unknown }> {
  let text = ''
  try {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) text += Buffer.from(chunk).toString()
  } catch (error) {
    return { text, error }
  }
  return { text }
}

const USED_UP = {
  responses: '"resets_in_seconds":90',
  messages: 'anthropic-ratelimit-unified-reset',
  gemini: 'GenerateRequestsPerDay',
}

const openAi = {
  401: { error: { code: 'invalid_api_key' } },
  429: { error: { code: 'rate_limit_exceeded', message: expect.stringContaining('try again in 90s') } },
  500: { error: { type: 'server_error' } },
}

const FAILURES = {
  responses: openAi,
  chat: openAi,
  messages: {
    401: { type: 'error', error: { type: 'authentication_error' } },
    429: { type: 'error', error: { type: 'rate_limit_error' } },
    500: { type: 'error', error: { type: 'api_error' } },
  },
  gemini: {
    401: { error: { code: 401, status: 'UNAUTHENTICATED' } },
    429: {
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        details: expect.arrayContaining([{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '90s' }]),
      },
    },
    500: { error: { code: 500, status: 'INTERNAL' } },
  },
}
