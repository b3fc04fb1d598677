import { createDecipheriv, createECDH, createHmac, type ECDH, hkdfSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { testProject, type TestProject } from '../../../test/support/cli-project.ts'
import type { NoticeSettings, NoticeTarget } from '../../settings/notice-settings.ts'
import { sqliteStore } from '../../stores/sqlite-store.ts'
import type { Store } from '../../stores/store.ts'
import { Devices } from './devices.ts'
import { type Notice, sendNotice } from './notice-services.ts'
import { isQuiet, Notices } from './notices.ts'

interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly bytes: Buffer
}

let server: Server
let url: string
let received: Received[]
let status: number
let project: TestProject
let store: Store
let open: Notices[]
let warned: string[]

beforeEach(async () => {
  received = []
  warned = []
  status = 200
  open = []
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      received.push({ path: request.url ?? '', headers: request.headers, body: bytes.toString(), bytes })
      response.writeHead(status).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  project = testProject({ isGit: false })
  store = sqliteStore({ path: project.storePath })
})

afterEach(async () => {
  for (const each of open) await each.close()
  server.close()
  server.closeAllConnections()
  await store.close()
  await project.remove()
})

function notices(settings: Partial<NoticeSettings> = {}, now?: () => number): Notices {
  const made = new Notices({
    store,
    storePath: project.storePath,
    settings: { to: [{ kind: 'webhook', url: `${url}/hook` }], ...settings },
    devices: new Devices(join(project.root, 'user')),
    url: () => 'https://pawl.example',
    linkFor: (run, question) => `https://pawl.example/a/${run}-${question}`,
    warn: (line) => void warned.push(line),
    ...(now ? { now } : {}),
  })
  open.push(made)
  made.start()
  return made
}

function told(): readonly string[] {
  return received.map(({ body }) => (JSON.parse(body) as Notice).title)
}

async function untilTold(count: number): Promise<void> {
  await vi.waitFor(() => expect(received.length).toBeGreaterThanOrEqual(count), { timeout: 15_000 })
}

test('NOTICE-1 a run that waits and one that is done are announced once each; what was before the first server is not', async () => {
  await project.seed({ run: 'past', failing: [3, 2, 2, 2] })
  const first = notices()
  await vi.waitFor(() => expect(readFileSync(join(project.root, '.pawl', 'pawl.notices.json'), 'utf8')).toContain('past'))
  await project.seed({ run: 'asks', failing: [3, 2, 2, 2] })
  await project.seed({ run: 'done', failing: [1, 0] })
  await untilTold(2)
  expect(told().toSorted()).toEqual(['asks needs your answer', 'done is done'])
  const { text, link, id } = JSON.parse(received.find(({ body }) => body.includes('asks'))?.body ?? '') as Notice
  expect(text).toMatch(/1\. .*\n/)
  expect(link).toBe(`https://pawl.example/a/${id.replace('@', '-')}`)
  await first.close()
})

test('NOTICE-2 what happened while no server ran is announced by the next one, and nothing that was announced before', async () => {
  const first = notices()
  await vi.waitFor(() => readFileSync(join(project.root, '.pawl', 'pawl.notices.json')))
  await project.seed({ run: 'one', failing: [1, 0] })
  await untilTold(1)
  await first.close()
  await project.seed({ run: 'two', failing: [1, 0] })
  notices()
  await untilTold(2)
  expect(told()).toEqual(['one is done', 'two is done'])
})

test('NOTICE-3 a service that refuses gets it again later; a question that was answered meanwhile is no longer told', async () => {
  status = 500
  let now = Date.now()
  const first = notices({}, () => now)
  await vi.waitFor(() => readFileSync(join(project.root, '.pawl', 'pawl.notices.json')))
  await project.seed({ run: 'asks', failing: [3, 2, 2, 2] })
  await untilTold(1)
  await vi.waitFor(() => expect(warned[0]).toContain('webhook answered 500'))
  status = 200
  now += 60_000
  await untilTold(2)
  expect(received[0]?.headers['x-pawl-delivery']).toBe(received[1]?.headers['x-pawl-delivery'])
  await first.close()
  await project.seed({ run: 'settled', failing: [3, 2, 2, 2], answers: [{ choice: 'abort' }] })
  await project.seed({ run: 'last', failing: [1, 0] })
  notices()
  await untilTold(3)
  expect(told().slice(2)).toEqual(['last is done'])
})

test('NOTICE-4 in quiet hours nothing is sent; a digest gathers what stopped or is done, but no question', async () => {
  let now = new Date(2026, 10, 18, 23, 30).getTime()
  notices({ quiet: '22:00-07:00', digest: 1 }, () => now)
  await vi.waitFor(() => readFileSync(join(project.root, '.pawl', 'pawl.notices.json')))
  for (const run of ['one', 'two']) await project.seed({ run, failing: [1, 0] })
  await project.seed({ run: 'asks', failing: [3, 2, 2, 2] })
  await vi.waitFor(() =>
    expect(readFileSync(join(project.root, '.pawl', 'pawl.notices.json'), 'utf8').match(/"kind"/g)).toHaveLength(3),
  )
  expect(received).toEqual([])
  now = new Date(2026, 10, 19, 7, 0).getTime()
  await untilTold(2)
  expect(told()).toEqual(['asks needs your answer', '2 runs stopped or done'])
})

test('PUSH-4 a browser gets a message that only it can read, once; one that no longer wants them gets no more', async () => {
  const first = notices({ to: [] })
  await vi.waitFor(() => readFileSync(join(project.root, '.pawl', 'pawl.notices.json')))
  const browser = createECDH('prime256v1')
  const secret = randomBytes(16)
  const { device } = new Devices(join(project.root, 'user')).add('Phone')
  const keys = { endpoint: `${url}/push`, p256dh: browser.generateKeys('base64url'), auth: secret.toString('base64url') }
  first.subscribe(device.id, keys)
  await project.seed({ run: 'asks', goal: 'one \u202Eowt', failing: [3, 2, 2, 2] })
  await untilTold(1)
  const { headers, bytes } = received[0] as Received
  expect(headers).toMatchObject({
    'content-encoding': 'aes128gcm',
    urgency: 'high',
    authorization: expect.stringMatching(/^vapid t=/),
  })
  const message = JSON.parse(decrypted(bytes, browser, secret)) as Record<string, string>
  expect(message).toMatchObject({ title: 'asks needs your answer', path: '/runs/asks', tag: 'asks' })
  expect(JSON.stringify(message)).not.toContain('\u202E')
  await first.close()
  status = 410
  const second = notices({ to: [] })
  await project.seed({ run: 'done', failing: [1, 0] })
  await untilTold(2)
  await vi.waitFor(() => expect(second.isSubscribed(device.id)).toBe(false))
})

function derivedFor(input: Buffer, by: Buffer, info: Buffer | string, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', input, by, info, length))
}

/** What a browser does with a message. */
function decrypted(body: Buffer, browser: ECDH, secret: Buffer): string {
  const [salt, theirs, sealed] = [body.subarray(0, 16), body.subarray(21, 86), body.subarray(86)]
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser.getPublicKey(), theirs])
  const input = derivedFor(browser.computeSecret(theirs), secret, info, 32)
  const key = derivedFor(input, salt, 'Content-Encoding: aes128gcm\0', 16)
  const decipher = createDecipheriv('aes-128-gcm', key, derivedFor(input, salt, 'Content-Encoding: nonce\0', 12))
  decipher.setAuthTag(sealed.subarray(-16))
  const text = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
  expect(text.at(-1)).toBe(2)
  return text.subarray(0, -1).toString()
}

test.each([
  ['22:00-07:00', 23, true],
  ['22:00-07:00', 6, true],
  ['22:00-07:00', 7, false],
  ['12:00-13:00', 12, true],
  ['12:00-13:00', 13, false],
  [undefined, 3, false],
])('NOTICE-4 with quiet hours %s, at %d it is quiet: %s', (hours, hour, expected) => {
  expect(isQuiet(hours, new Date(2026, 10, 18, hour, 0).getTime())).toBe(expected)
})

const LONG: Notice = {
  id: 'run@7',
  kind: 'waiting',
  run: 'run',
  at: 1,
  title: 'Größe <b> needs your answer',
  text: '@everyone é'.repeat(3000),
  link: 'https://pawl.example/a/x',
}

test.each([
  ['ntfy', { url: '/topic', token: '$TOKEN' }, 4096],
  ['slack', { url: '/slack' }, 40_000],
  ['discord', { url: '/discord' }, 3000],
  ['telegram', { url: '', token: '$TOKEN', chat: '42' }, 6000],
  ['webhook', { url: '/hook', secret: '$TOKEN' }, 70_000],
] as const)('NOTICE-5 a notice to %s fits its limit and has the form that the service asks for', async (kind, more, bytesMax) => {
  const target = { kind, ...more, url: `${url}${more.url}` } as NoticeTarget
  await sendNotice(target, LONG, { TOKEN: 's3cret' })
  const { path, headers, body } = received[0] as Received
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(bytesMax)
  const forms: Readonly<Record<string, () => void>> = {
    ntfy: () => {
      expect(headers).toMatchObject({ authorization: 'Bearer s3cret', click: LONG.link, tags: 'question' })
      expect(headers['title']).toBe(`=?UTF-8?B?${Buffer.from(LONG.title).toString('base64')}?=`)
    },
    slack: () => expect((JSON.parse(body) as { text: string }).text).toContain('&lt;b&gt;'),
    discord: () => {
      const { content, allowed_mentions } = JSON.parse(body) as { content: string; allowed_mentions: unknown }
      expect(content.length).toBeLessThanOrEqual(2000)
      expect([content.endsWith(LONG.link ?? ''), allowed_mentions]).toEqual([true, { parse: [] }])
    },
    telegram: () => {
      expect(path).toBe('/bots3cret/sendMessage')
      expect((JSON.parse(body) as { text: string; chat_id: string }).text.length).toBeLessThanOrEqual(4096)
    },
    webhook: () =>
      expect(headers['x-pawl-signature']).toBe(`sha256=${createHmac('sha256', 's3cret').update(body).digest('hex')}`),
  }
  forms[kind]?.()
})

test('NOTICE-6 a command gets the notice as JSON; a variable that is not set is named, and its value never is', async () => {
  const path = join(project.root, 'notice.json')
  await sendNotice({ kind: 'command', command: `cat > ${path}` }, LONG)
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(LONG)
  await expect(sendNotice({ kind: 'command', command: 'exit 3' }, LONG)).rejects.toThrow('ended with 3')
  await expect(sendNotice({ kind: 'slack', url: '$NOBODY' }, LONG, {})).rejects.toThrow("NOBODY isn't set")
})
