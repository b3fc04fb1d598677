import { createECDH } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request as rawRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { maxIterations } from '../../guards/index.ts'
import { sqliteStore } from '../../stores/sqlite-store.ts'
import type { Store } from '../../stores/store.ts'
import { STARTED_AT } from '../../../test/support/view-fixture.ts'
import { testProject, type TestProject } from '../../../test/support/cli-project.ts'
import { signedLink } from './answer-link.ts'
import { createClient, HttpProblem, type PawlClient } from './client.ts'
import { serveProject, type Serving } from './serve.ts'

let project: TestProject
let folder: string
let store: Store
let serving: Serving
let client: PawlClient

beforeAll(async () => {
  project = testProject({ isGit: false })
  folder = mkdtempSync(join(tmpdir(), 'pawl-serve-'))
  mkdirSync(join(folder, 'page', 'assets'), { recursive: true })
  writeFileSync(join(folder, 'page', 'index.html'), '<!doctype html><title>page</title>')
  writeFileSync(join(folder, 'page', 'assets', 'app.js'), 'export {}')
  writeFileSync(join(folder, 'secret.txt'), 'not for you')
  await project.seed({ run: 'done', failing: [3, 1, 0] })
  await project.seed({ run: 'asks', failing: [3, 2, 2, 2] })
  await project.seed({ run: 'asks-too', failing: [4, 4], guards: [maxIterations(1)] })
  serving = await served()
  client = createClient({ url: serving.url, token: tokenOf(serving) })
  store = sqliteStore({ path: project.storePath })
})

afterAll(async () => {
  await serving.close()
  await store.close()
  await project.remove()
  rmSync(folder, { recursive: true })
})

function served(more: object = {}): Promise<Serving> {
  return serveProject({
    root: project.root,
    configPath: join(project.root, 'pawl.yaml'),
    storePath: project.storePath,
    port: 0,
    userFolder: join(folder, 'user'),
    page: join(folder, 'page'),
    ...more,
  })
}

function tokenOf({ link }: Serving): string {
  return new URL(link).searchParams.get('token') ?? ''
}

interface Got {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly text: string
}

/** A request with any header, also those that `fetch` doesn't let a program set. */
function ask(path: string, headers: Record<string, string> = {}, body?: string, method?: string): Promise<Got> {
  return new Promise((resolve, reject) => {
    const asked = rawRequest(
      `${serving.url}${path}`,
      { method: method ?? (body === undefined ? 'GET' : 'POST'), headers },
      (response) => {
        let text = ''
        response.on('data', (chunk: Buffer) => (text += chunk.toString()))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })
}

async function problem(asking: Promise<unknown>): Promise<HttpProblem['problem']> {
  const error = await asking.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof HttpProblem)) throw new Error(`expected a problem, got ${String(error)}`)
  return error.problem
}

/** The cookie of a new device. */
async function cookie(): Promise<string> {
  const { headers } = await ask(`/?token=${tokenOf(serving)}`)
  return String(headers['set-cookie']).split(';')[0] ?? ''
}

test('SERVE-1 the list has the runs that wait first, with filters, sorting, search and pages', async () => {
  const all = await client.runs()
  expect(all).toMatchObject({ total: 3, waiting: 2 })
  expect(
    all.items
      .map(({ run }) => run)
      .slice(0, 2)
      .toSorted(),
  ).toEqual(['asks', 'asks-too'])
  expect(all.items[2]).toMatchObject({ run: 'done', status: 'completed', agent: 'claude', trend: [3, 1, 0], costUsd: 0.1 })
  expect((await client.runs({ status: 'completed' })).items.map(({ run }) => run)).toEqual(['done'])
  expect((await client.runs({ q: 'NUMERIC', sort: 'run', limit: 2 })).items.map(({ run }) => run)).toEqual(['asks', 'asks-too'])
  const first = await client.runs({ limit: 2 })
  const second = await client.runs({ limit: 2, ...(first.next === undefined ? {} : { cursor: first.next }) })
  expect([...first.items, ...second.items]).toEqual(all.items)
  expect(second.next).toBeUndefined()
  expect(await problem(client.runs({ cursor: 'nonsense' }))).toMatchObject({ status: 400, code: 'usage.cursor' })
  expect(await problem(client.runs({ limit: 0 }))).toMatchObject({ status: 400 })
})

test('SERVE-2 a run has its iterations in short, limits and how near they are, question, proof and commands; an unknown cost is absent', async () => {
  const asks = await client.run('asks')
  expect(asks).toMatchObject({ run: 'asks', status: 'escalated', iterationsDone: 3, iterationsMax: 3, isHeld: false })
  expect(asks.iterations.map(({ iteration, failing, action }) => [iteration, failing, action])).toEqual([
    [1, 2, 'retry'],
    [2, 2, 'retry'],
    [3, 2, 'escalate'],
  ])
  expect(asks.guards.find(({ guard }) => guard === 'maxIterations')?.near).toEqual([
    { what: 'iterations', used: 3, max: 3, words: '3 of 3' },
  ])
  expect(asks.question?.options.length).toBeGreaterThan(1)
  expect(asks.card?.trips[0]?.guard).toBe('maxIterations')
  expect(asks.commands.map(({ command }) => command)).toContain('pawl answer asks 1 --resume')
  expect((await client.run('done')).proof).toMatchObject({ level: 'red-to-green' })
  expect(await problem(client.run('nobody'))).toMatchObject({ status: 404, code: 'run.unknown' })
  expect(await problem(client.run('../../etc/passwd'))).toMatchObject({ status: 404 })
})

test('SERVE-3 an iteration has brief, checks with failures, and its decision with the events behind it and what would have changed it', async () => {
  const { works, checks, decisions, events } = await client.iteration('asks', 3)
  expect(works[0]).toMatchObject({ status: 'finished', agent: 'claude', brief: { text: 'Make it so.' }, summary: 'Change 3.' })
  expect(checks[0]).toMatchObject({ name: 'tests', outcome: 'failed' })
  expect(checks[0]?.failures[0]).toMatchObject({ id: 'login > id' })
  expect(decisions[0]).toMatchObject({ action: 'escalate' })
  expect(decisions[0]?.basisEvents.length).toBeGreaterThan(0)
  expect(decisions[0]?.wouldChange[0]).toMatch(/would let it continue/)
  expect(events.some(({ isRoutine }) => isRoutine)).toBe(true)
  expect(events.find(({ type }) => type === 'check.failed')?.isRoutine).toBeUndefined()
  expect(await problem(client.iteration('asks', 9))).toMatchObject({ status: 404, code: 'run.no-iteration' })
  expect(await client.diff('asks', 3)).toMatchObject({
    filesChanged: 2,
    insertions: 3,
    deletions: 1,
    command: 'pawl diff asks 3',
  })
})

test('SERVE-5 events are those of the journal, page by page', async () => {
  const journal = await store.read('asks')
  const read = []
  for (let after: number | undefined = 0; after !== undefined;) {
    const page: Awaited<ReturnType<PawlClient['events']>> = await client.events('asks', { after, limit: 7 })
    read.push(...page.events)
    after = page.next
  }
  expect(read).toEqual(JSON.parse(JSON.stringify(journal)))
})

test('SERVE-6 a stream has every event once, from any place on, and those that are appended by anybody', async () => {
  await project.seed({ run: 'streamed', failing: [3, 2, 2, 2] })
  const journal = await store.read('streamed')
  const ending = new AbortController()
  const seen: number[] = []
  for await (const each of client.stream('streamed', 5, ending.signal)) {
    if (each.kind !== 'journal') continue
    seen.push(each.seq)
    if (each.seq === journal.length)
      await store.append('streamed', [{ type: 'guard.waived', at: STARTED_AT, by: { role: 'person' }, data: { guard: 'idle' } }])
    if (each.seq > journal.length) break
  }
  ending.abort()
  expect(seen).toEqual(Array.from({ length: journal.length - 4 }, (_, index) => index + 6))
  const { text } = await firstOf(`/api/v1/runs/streamed/stream`, { 'last-event-id': String(journal.length) })
  expect(text).toMatch(new RegExp(`id: ${journal.length + 1}$`, 'm'))
  expect(text).not.toContain(`id: ${journal.length}\n`)
})

/** The first piece of a stream. */
async function firstOf(path: string, headers: Record<string, string>): Promise<{ readonly text: string }> {
  const ending = new AbortController()
  const response = await fetch(`${serving.url}${path}`, {
    headers: { ...headers, authorization: `Bearer ${tokenOf(serving)}` },
    signal: ending.signal,
  })
  const { value } = (await response.body?.getReader().read()) ?? {}
  ending.abort()
  return { text: new TextDecoder().decode(value) }
}

test('SERVE-7 whoever watches the project hears of runs that change and of new ones', async () => {
  const ending = new AbortController()
  const response = await fetch(`${serving.url}/api/v1/stream`, {
    headers: { authorization: `Bearer ${tokenOf(serving)}` },
    signal: ending.signal,
  })
  const reader = response.body?.getReader()
  let text = ''
  const until = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(text)) text += new TextDecoder().decode((await reader?.read())?.value)
  }
  await until(/event: hello/)
  await project.seed({ run: 'newcomer', failing: [1, 0] })
  await until(/event: change\ndata: {"row":{"run":"newcomer","status":"completed"/)
  ending.abort()
  expect(text).not.toContain('"run":"asks"')
})

test('SERVE-10 nobody gets in without the token or a cookie made from it, and the token leaves the address', async () => {
  expect((await ask('/api/v1/runs')).status).toBe(401)
  expect((await ask('/api/v1/runs', { authorization: 'Bearer wrong' })).status).toBe(401)
  expect((await ask('/?token=wrong')).status).toBe(401)
  const { status, headers } = await ask(`/runs/asks?token=${tokenOf(serving)}&view=grid`)
  expect([status, headers['location']]).toEqual([303, '/runs/asks?view=grid'])
  expect(String(headers['set-cookie'])).toMatch(/^pawl=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/)
  expect((await ask('/api/v1/runs', { cookie: await cookie() })).status).toBe(200)
})

test('SERVE-11 another name, another origin and another site are refused', async () => {
  const authorization = `Bearer ${tokenOf(serving)}`
  const own = new URL(serving.url).host
  expect((await ask('/api/v1/runs', { authorization, host: 'rebound.example' })).status).toBe(421)
  expect((await ask('/', { host: 'rebound.example' })).status).toBe(421)
  for (const origin of ['https://evil.example', 'null', `http://${own}.evil.example`])
    expect((await ask('/api/v1/runs', { authorization, origin })).status).toBe(403)
  const post = { cookie: await cookie(), 'content-type': 'application/json' }
  expect((await ask('/api/v1/runs/done/abort', post, '{}')).status).toBe(403)
  expect(
    (await ask('/api/v1/runs/done/abort', { ...post, origin: `http://${own}`, 'sec-fetch-site': 'cross-site' }, '{}')).status,
  ).toBe(403)
  expect(
    (await ask('/api/v1/runs/done/abort', { ...post, origin: `http://${own}`, 'content-type': 'text/plain' }, '{}')).status,
  ).toBe(400)
  expect((await ask('/api/v1/runs/done/abort', { ...post, origin: `http://${own}` }, '{}')).status).toBe(409)
})

test('SERVE-12 every answer forbids inline scripts, framing and guessing of types; no address leads out of the page folder', async () => {
  for (const path of ['/', '/api/v1/runs', '/assets/app.js', '/pair', '/nothing.txt']) {
    const { headers } = await ask(path)
    expect(headers['content-security-policy']).toMatch(/default-src 'none'; script-src 'self'; style-src 'self'/)
    expect(headers['content-security-policy']).not.toContain('unsafe')
    expect(headers['x-content-type-options']).toBe('nosniff')
  }
  expect((await ask('/')).text).toContain('<title>page')
  expect((await ask('/runs/any')).text).toContain('<title>page')
  for (const path of [
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/..%5csecret.txt',
    '/%00',
  ])
    expect((await ask(path)).text).not.toContain('not for you')
})

test('SERVE-13 errors are problem+json; a request that is too large or not as the schema says is refused', async () => {
  const authorization = `Bearer ${tokenOf(serving)}`
  const json = { authorization, 'content-type': 'application/json' }
  const { status, headers, text } = await ask('/api/v1/nothing', { authorization })
  expect([status, headers['content-type']]).toEqual([404, 'application/problem+json'])
  expect(JSON.parse(text)).toMatchObject({ status: 404, code: 'serve.unknown', title: 'Not found' })
  expect((await ask('/api/v1/runs/asks/answer', json, 'no json')).status).toBe(400)
  expect((await ask('/api/v1/runs/asks/answer', json, '{"choise":"1"}')).status).toBe(400)
  expect((await ask('/api/v1/runs/asks/answer', json, JSON.stringify({ choice: 'x'.repeat(70_000) }))).status).toBe(413)
})

test('SERVE-14 too many wrong tokens from one place are no longer looked at', async () => {
  const other = await served({ storePath: join(project.root, '.pawl', 'other.db') })
  try {
    const statuses = []
    for (let index = 0; index < 25; index++)
      statuses.push((await fetch(`${other.url}/api/v1/runs`, { headers: { authorization: 'Bearer wrong' } })).status)
    expect([statuses[0], statuses.at(-1)]).toEqual([401, 429])
  } finally {
    await other.close()
  }
})

test('SERVE-15 one server serves a project at a time, and says where', async () => {
  await expect(served()).rejects.toMatchObject({ code: 'serve.running', message: expect.stringContaining(serving.url) })
})

test('SERVE-20 an answer is that of a person with a name; a second one gets 409 with who, when and which choice', async () => {
  await project.seed({ run: 'contested', failing: [3, 2, 2, 2] })
  const { question } = await client.run('contested')
  const seq = question?.seq ?? 0
  const answers = await Promise.allSettled([
    client.answer('contested', { choice: '1', question: seq, note: 'ids are numbers' }),
    client.answer('contested', { choice: '2', question: seq }),
    client.answer('contested', { choice: '1', question: seq }),
  ])
  const taken = answers.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  expect(taken).toHaveLength(1)
  for (const each of answers) {
    if (each.status === 'fulfilled') continue
    expect((each.reason as HttpProblem).problem).toMatchObject({
      status: 409,
      answer: { by: 'API', choice: taken[0]?.choice, label: taken[0]?.label, at: expect.any(Number) },
    })
  }
  const given = (await store.read('contested')).filter(({ type }) => type === 'escalation.answered')
  expect(given.map(({ by }) => by)).toEqual([{ role: 'person', name: 'API' }])
})

test('SERVE-21 the same Idempotency-Key does nothing twice, and is refused for another request', async () => {
  await project.seed({ run: 'twice', failing: [3, 2, 2, 2] })
  const [one, other] = [
    await client.answer('twice', { choice: '1' }, 'key-1'),
    await client.answer('twice', { choice: '1' }, 'key-1'),
  ]
  expect(other).toEqual(one)
  expect(await problem(client.answer('twice', { choice: '2' }, 'key-1'))).toMatchObject({ code: 'usage.idempotency-key' })
  expect((await store.read('twice')).filter(({ type }) => type === 'escalation.answered')).toHaveLength(1)
})

test('SERVE-22 a guard can be waived, a run aborted; a server without --drive starts nothing and says what to type', async () => {
  await project.seed({ run: 'ended', failing: [3, 2, 2, 2] })
  expect(await client.waive('ended', 'maxIterations')).toEqual({ run: 'ended', guard: 'maxIterations' })
  expect(await problem(client.waive('ended', 'maxIteration'))).toMatchObject({ status: 400, code: 'usage.unknown-guard' })
  expect(await client.abort('ended', 'wrong branch')).toEqual({ run: 'ended', status: 'aborted' })
  expect(await problem(client.abort('ended'))).toMatchObject({ status: 409, code: 'run.over' })
  expect((await client.run('ended')).people.at(-1)).toMatchObject({ by: 'API', what: 'ended the run', note: 'wrong branch' })
  for (const asking of [
    client.resume('asks'),
    client.restore('asks'),
    client.start({ goal: 'more' }),
    client.answer('asks', { choice: '1', resume: true }),
  ])
    expect(await problem(asking)).toMatchObject({ status: 403, code: 'serve.no-drive', detail: expect.stringContaining('pawl ') })
})

test('SERVE-23 a link answers one question once, without a cookie, and opening it changes nothing', async () => {
  await project.seed({ run: 'linked', failing: [3, 2, 2, 2] })
  const question = (await client.run('linked')).question?.seq ?? 0
  const link = (expiresAt: number, secret = serving.devices.secret): string =>
    `/a/${signedLink({ run: 'linked', question, expiresAt }, secret)}`
  const good = link(Date.now() + 60_000)
  expect((await ask(link(Date.now() - 1))).status).toBe(410)
  expect((await ask(link(Date.now() + 60_000, 'another secret'))).status).toBe(410)
  const page = await ask(good)
  expect([page.status, page.text.match(/<button/g)?.length]).toEqual([200, (await client.run('linked')).question?.options.length])
  expect((await client.run('linked')).question?.answer).toBeUndefined()
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin: `http://${new URL(serving.url).host}` }
  expect((await ask(good, { ...form, origin: 'https://evil.example' }, 'choice=1')).status).toBe(403)
  expect((await ask(good, form, 'choice=1&note=numbers')).text).toContain('Answered')
  const again = await ask(good, form, 'choice=2')
  expect([again.status, again.text.includes('link answered')]).toEqual([409, true])
  expect((await ask(good)).status).toBe(409)
})

test('SERVE-24 what agents write is text on those pages too', async () => {
  const goal = '<script>alert(1)</script>\u202Egnorw'
  await project.seed({ run: 'hostile', goal, failing: [3, 2, 2, 2], said: goal })
  const question = (await client.run('hostile')).question?.seq ?? 0
  const { text } = await ask(
    `/a/${signedLink({ run: 'hostile', question, expiresAt: Date.now() + 60_000 }, serving.devices.secret)}`,
  )
  expect(text).not.toContain('<script')
  expect(text).not.toContain('\u202E')
})

test('SERVE-27 no address takes a path for the name of a run, and a stream of a run that is not there is refused', async () => {
  const authorization = `Bearer ${tokenOf(serving)}`
  for (const run of ['..%2Fsecret', '..%2F..%2F..%2Fetc%2Fpasswd', '%2Fetc%2Fpasswd', 'a%00b', '-x', 'nobody'])
    for (const rest of ['', '/stream', '/events', '/export', '/grid', '/iterations/1/diff?file=..%2F..%2Fetc%2Fpasswd'])
      expect([run, rest, (await ask(`/api/v1/runs/${run}${rest}`, { authorization })).status]).toEqual([run, rest, 404])
})

test('SERVE-32 a device that is locked out while it watches hears no more', async () => {
  const { device, cookie: own } = serving.devices.add('Old phone')
  const response = await fetch(`${serving.url}/api/v1/runs/asks/stream?after=99999`, { headers: { cookie: `pawl=${own}` } })
  const reader = response.body?.getReader()
  serving.devices.revoke(device.id)
  await client.waive('asks', 'maxIterations')
  let text = ''
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done) break
    text += new TextDecoder().decode(value)
  }
  expect(text).not.toContain('guard.waived')
})

test('PUSH-3 a browser subscribes for its own device only, and with a subscription that works', async () => {
  const { device, cookie: own } = serving.devices.add('A browser')
  const headers = { cookie: `pawl=${own}`, origin: `http://${new URL(serving.url).host}`, 'content-type': 'application/json' }
  const keys = { p256dh: createECDH('prime256v1').generateKeys('base64url'), auth: Buffer.alloc(16).toString('base64url') }
  const push = async (body: object, more = headers): Promise<number> =>
    (await ask('/api/v1/push', more, JSON.stringify(body))).status
  expect(await push({ endpoint: 'https://push.example/x', ...keys })).toBe(200)
  expect(JSON.parse((await ask('/api/v1/push', headers)).text)).toMatchObject({
    isOn: true,
    key: expect.stringMatching(/^.{87}$/),
  })
  expect(await push({})).toBe(200)
  expect(JSON.parse((await ask('/api/v1/push', headers)).text)).toMatchObject({ isOn: false })
  for (const endpoint of ['file:///etc/passwd', 'http://192.0.2.1/x', 'nothing'])
    expect(await push({ endpoint, ...keys })).toBe(400)
  expect(await push({ endpoint: 'https://push.example/x', p256dh: 'AAAA', auth: 'AAAA' })).toBe(400)
  const program = { authorization: `Bearer ${tokenOf(serving)}`, 'content-type': 'application/json' }
  expect(await push({ endpoint: 'https://push.example/x', ...keys }, program as never)).toBe(400)
  serving.devices.revoke(device.id)
})

test('SERVE-30 a pairing code lets one device in, once; a device that is revoked is out', async () => {
  const origin = `http://${new URL(serving.url).host}`
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin }
  const { code } = serving.devices.newCode()
  expect((await ask('/pair', form, 'code=AAAAAAAA')).status).toBe(403)
  const paired = await ask('/pair', form, `code=${code.toLowerCase()}&name=My+phone`)
  const own = String(paired.headers['set-cookie']).split(';')[0] ?? ''
  expect(paired.status).toBe(303)
  expect((await ask('/pair', form, `code=${code}`)).status).toBe(403)
  expect(JSON.parse((await ask('/api/v1/session', { cookie: own })).text)).toMatchObject({ device: 'My phone' })
  const phone = (await client.devices()).devices.find(({ name }) => name === 'My phone')
  await client.revoke(phone?.id ?? '')
  expect((await ask('/api/v1/session', { cookie: own })).status).toBe(401)
  expect(await problem(client.revoke('nothing'))).toMatchObject({ status: 404 })
})

test('SERVE-40 OpenAPI lists every address with what it takes, from the schemas that requests are read by', async () => {
  const document = JSON.parse((await ask('/api/v1/openapi.json')).text) as {
    paths: Record<string, Record<string, { parameters: { name: string }[]; requestBody?: unknown }>>
  }
  const { paths } = document
  expect(paths['/api/v1/runs']?.['get']?.parameters.map(({ name }) => name)).toEqual([
    'status',
    'loop',
    'agent',
    'q',
    'sort',
    'cursor',
    'limit',
  ])
  expect(JSON.stringify(paths['/api/v1/runs/{run}/answer']?.['post']?.requestBody)).toContain('"required":["choice"]')
  expect(Object.keys(paths).length).toBeGreaterThan(15)
})
