import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Fact } from '../core/event.ts'
import { plantedSecrets } from '../testing/planted-secrets.ts'
import { redactFact } from '../journal/redact-facts.ts'
import { redactJson, redactSaid, redactText } from './filter.ts'
import { hasSecretHint } from './hint.ts'

const PROSE = 'The check failed in src/login.test.ts:12, as before.'

/** Nobody can tell where these end, or more of them may be beside them. */
const WITH_THEIR_LINE = new Set([
  'AWS access key',
  'AWS secret key',
  'Databricks token',
  'Twilio key',
  'private key',
  'password in the environment',
  'password in YAML',
  'password in a compose file',
])

const WITH_LINE = plantedSecrets().filter(({ name }) => WITH_THEIR_LINE.has(name))
const ALONE = plantedSecrets().filter(({ name }) => !WITH_THEIR_LINE.has(name))

test.each(WITH_LINE)('SECRET-1 $name is replaced with its line, and all others stay', async ({ text, secret }) => {
  const redacted = await redactText(`${PROSE}\nbefore ${text}\r\n${PROSE}\n`)
  expect(redacted).not.toContain(secret)
  expect(redacted).toMatch(/^The check .* before\.\n\[redacted: [a-z0-9-]+\]\r\nThe check .* before\.\n$/)
})

test.each(ALONE)('SECRET-30 $name is replaced alone, and all else stays', async ({ text, secret }) => {
  const redacted = await redactText(`${PROSE}\nbefore ${text} after\r\n${PROSE}\n`)
  const rest = text.replace(secret, '[]')
  expect(redacted.replace(/\[redacted: [a-z0-9-]+\]/, '[]')).toBe(`${PROSE}\nbefore ${rest} after\r\n${PROSE}\n`)
})

describe.each(plantedSecrets())('$name', ({ text, secret }) => {
  test('SECRET-2 a secret deep in the data of a fact, and as the name of a field, is replaced before it is sealed', async () => {
    const fact = factWith({ deep: [{ list: ['harmless', { note: text }] }], [`name ${text}`]: 1, kept: PROSE })
    const redacted = await redactFact(fact)
    expect(JSON.stringify(redacted)).not.toContain(JSON.stringify(secret).slice(1, -1))
    expect(JSON.stringify(redacted)).toContain(PROSE)
    expect(JSON.stringify(redacted).match(/\[redacted: /g)).toHaveLength(2)
  })

  test('SECRET-3 the cheap hint sees it, in plain text and in JSON', () => {
    expect(hasSecretHint(`x ${text} y`)).toBe(true)
    expect(hasSecretHint(JSON.stringify({ message: `first line\n${text}\nlast` }))).toBe(true)
  })
})

test.each(plantedSecrets())('SECRET-13 $name is found in JSON, and in JSON within JSON', async ({ text, secret }) => {
  const once = JSON.stringify({ type: 'result', text: `see\n${text}\nend` })
  const twice = JSON.stringify({ output: JSON.stringify({ long: 'lorem ipsum '.repeat(400), text: `\t${text}\n` }) })
  for (const each of [once, twice, `${once}\n${twice}`]) expect(await redactText(each)).not.toContain(secret)
  expect(await redactText(JSON.stringify({ path: 'C:\\new\\table', text: PROSE }))).toContain(PROSE)
})

test.each([
  ['http://me:hunter22@host/a', 'http://me:[redacted: url-password]@host/a'],
  ['redis://me:hun=+ter22@host:6379', 'redis://me:[redacted: url-password]@host:6379'],
  ['http://me:hun@ter22@host:1?a=b', 'http://me:[redacted: url-password]@host:1?a=b'],
  ['see http://me:hunter22@host/@scope/name', 'see http://me:[redacted: url-password]@host/@scope/name'],
  [
    'http://me:hunter22@one and http://you:hunter33@two',
    'http://me:[redacted: url-password]@one and http://you:[redacted: url-password]@two',
  ],
  [`http://${'a1'.repeat(12)}:x-oauth-basic@host`, 'http://[redacted: url-password]@host'],
  ['see http://me:hun@ter/22@host', '[redacted: url-password]'],
  ['see smtp://me@one.org:hunter22@host:25/a', 'see smtp://me@one.org:[redacted: url-password]@host:25/a'],
  [`see http://me:${'hunter22'.repeat(60)}@host/a`, 'see http://me:[redacted: url-password]@host/a'],
  ["see password = 'hunter22', and so on", "see password = '[redacted: password]', and so on"],
  ["see password = 'hunter''22', and so on", '[redacted: password]'],
  ['see password: "hunter22\\"33", and so on', '[redacted: password]'],
  ['see password: "hunter22\\"-33", and so on', '[redacted: password]'],
  ['see password = "hunter" + "22", and so on', '[redacted: password]'],
  ['deploy --password hunter22 now', 'deploy --password [redacted: password] now'],
  ['deploy --password hunter22,33 now', '[redacted: password]'],
  ['see [redacted: MY_PASSWORD]=hunter22, and so on', 'see [redacted: MY_PASSWORD]=hunter22, and so on'],
])('SECRET-30 alone where its end is certain, with its line where it is not: %s', async (text, kept) => {
  expect(await redactText(text)).toBe(kept)
  // As deep in JSON as may be, no part of it stays.
  for (let depth = 0, json = text; depth < 3; depth++) {
    json = JSON.stringify({ json })
    expect(await redactText(json)).not.toMatch(text.startsWith('see [redacted') ? /never/ : /hun(?!t*$)|ter|22|33|a1/)
  }
})

test.each(plantedSecrets())('SECRET-31 an event of a stream of JSON stays one: $name', async ({ text, secret }) => {
  const events = [
    { type: 'message', text: `see\n${text}\nend`, id: 1 },
    { type: 'tool', input: { command: `echo ${text}`, deep: JSON.stringify({ text }) }, ok: true },
    { type: 'end', text: PROSE },
  ]
  const printed = `started\n${events.map((event) => JSON.stringify(event)).join('\n')}\nended\n`
  const kept = await redactSaid(printed)
  expect(kept).not.toContain(secret)
  expect(kept).not.toContain(JSON.stringify(secret).slice(1, -1))
  const [first, ...lines] = kept.split('\n')
  expect([first, ...lines.slice(3)]).toEqual(['started', 'ended', ''])
  const read = lines.slice(0, 3).map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(read).toMatchObject([{ type: 'message', id: 1 }, { type: 'tool', ok: true }, events[2]])
  expect(read[0]?.['text']).toMatch(/^see\n.*\[redacted: .*\].*\nend$/)
})

test.each([
  ['see <password>hunter22</password> so', 'see <password>[redacted: password]</password> so'],
  ['machine one.org login me password hunter22', '[redacted: password]'],
  ['default\n  login me\n  password hunter22', 'default\n  login me\n[redacted: password]'],
  ['curl -s -u me:hunter22 https://one.org/a', '[redacted: password]'],
  ['curl --user "me:hunter22 so" https://one.org/a', '[redacted: password]'],
])('SECRET-62 a password is found in an element of XML, a line of .netrc and a call of curl: %s', async (text, kept) => {
  expect(hasSecretHint(text)).toBe(true)
  expect(await redactText(`first\n${text}\nlast`)).toBe(`first\n${kept}\nlast`)
  expect(await redactText(JSON.stringify({ text }))).not.toContain('hunter')
})

test.each([
  ['<a b="password=&quot;hunter22&quot; so"/>', '<a b="password=&quot;[redacted: password]&quot; so"/>'],
  ['<a>{&#34;token&#34;: &#34;hunter22-33&#34;}</a>', '<a>{&#34;token&#34;: &#34;[redacted: token]&#34;}</a>'],
  ['<a b="{&apos;apiKey&apos;: &apos;hunter22-33&apos;}"/>', '<a b="{&apos;apiKey&apos;: &apos;[redacted: key]&apos;}"/>'],
])('SECRET-56 what a name calls secret is found where XML or HTML escape its quotation marks: %s', async (text, kept) => {
  expect(hasSecretHint(text)).toBe(true)
  expect(await redactText(text)).toBe(kept)
  expect(await redactText(kept)).toBe(kept)
})

test('SECRET-53 the beginning of a mark that a cut left is no secret, whatever name is before it', async () => {
  const marked = 'see {"password": "[redacted: DEPLOY_TOKEN_2]"}'
  for (let length = 17; length < marked.length; length++)
    for (const text of [marked.slice(0, length), `${marked.slice(0, length)}…`]) expect(await redactText(text)).toBe(text)
})

test('SECRET-31 a token whose first letter is that of an escape leaves JSON behind', async () => {
  const line = JSON.stringify({ text: `see\n${['pm', '_'].join('')}${'a1B2'.repeat(9)}`, ok: true })
  expect(JSON.parse((await redactSaid(`first\n${line}\nlast`)).split('\n')[1] ?? '')).toMatchObject({ ok: true })
})

test.each([
  ['access_key="ID", "KEY"'],
  ['{"accessKey": "ID", "value": "KEY"}'],
  ['deploy --access-key ID KEY now'],
  ['{\\"accessKey\\": \\"ID\\", \\"value\\": \\"KEY\\"}'],
])('SECRET-43 if more of a secret is beside it the line goes with it, even if its own end is certain: %s', async (line) => {
  for (const id of ['AWS access key', 'Twilio key']) {
    const text = line.replace('ID', secretOf(id)).replace('KEY', secretOf('AWS secret key'))
    expect(await redactText(`${PROSE}\n${text}\n${PROSE}`)).toMatch(/^The check .*\n\[redacted: \w+\]\nThe check .*$/)
  }
})

function secretOf(wanted: string): string {
  return plantedSecrets().find(({ name }) => name === wanted)?.secret ?? ''
}

test('SECRET-4 a comment in the text cannot switch the search off', async () => {
  for (const { text, secret } of plantedSecrets()) {
    expect(await redactText(`// secretlint-disable\n${text} // secretlint-disable-line`)).not.toContain(secret)
  }
})

test('SECRET-5 a private key is replaced as one block, also when the text was cut in the middle of it', async () => {
  const key = plantedSecrets().find(({ name }) => name === 'private key')?.text ?? ''
  const lines = key.split('\n')
  expect(await redactText(`a\n${key}\nb`)).toBe('a\n[redacted: private-key]\nb')
  expect(await redactText(`a\n${lines.slice(0, 4).join('\n')}\n`)).toBe('a\n[redacted: private-key]')
  expect(await redactText(`${lines.slice(4).join('\n')}\nb`)).toBe('[redacted: private-key]\nb')
  expect(await redactText(lines.map((line) => `+  "${line}\\n" +`).join('\n'))).toBe('[redacted: private-key]')
})

test('SECRET-6 a value is judged by the name of its field or by the flag before it', async () => {
  const password = ['hunter', '2'].join('')
  const data = {
    env: { DB_PASSWORD: password },
    command: ['mysql', '--password', password],
    apiKey: 'a1'.repeat(8),
    key: '1/work/0',
  }
  expect(await redactJson(data)).toEqual({
    env: { DB_PASSWORD: '[redacted: password]' },
    command: ['mysql', '--password', '[redacted: password]'],
    apiKey: '[redacted: key]',
    key: '1/work/0',
  })
})

test('SECRET-7 two secrets as names of fields stay two fields', async () => {
  const [first, second] = plantedSecrets()
  const redacted = await redactJson({ [first?.text ?? '']: 1, [second?.text ?? '']: 2, [`${second?.text} `]: 3 })
  expect(Object.values(redacted)).toEqual([1, 2, 3])
})

test('SECRET-8 in a very long line only the stretch around the secret is replaced', async () => {
  const filler = '{"test":"returns the id","status":"passed"},'.repeat(500)
  for (const { text, secret } of plantedSecrets().filter((each) => !each.text.includes('\n'))) {
    const redacted = await redactText(`[${filler}"${text}",${filler}]`)
    expect(redacted).not.toContain(secret)
    expect(redacted.length).toBeGreaterThan(filler.length * 1.9)
  }
})

test.each([
  'commit 3f2a9c1d4b5e6f708192a3b4c5d6e7f8091a2b3c',
  'sha256:0f3b2c1d0f3b2c1d0f3b2c1d0f3b2c1d0f3b2c1d0f3b2c1d0f3b2c1d0f3b2c1d',
  'run 6f1c2b9e-8d1a-4c3b-9f00-1a2b3c4d5e6f started 2026-11-03T10:15:30.123Z',
  './src/stores/sqlite-store.ts:120:14 and src/a2/B3/c4.ts',
  'at Object.handleLogin2 (file:///home/me/app/node_modules/.pnpm/vite@8.0.1_@types+node@24/dist/Chunk-D3adB33f.js:12:3)',
  'git@github.com:pawl/pawl.git and ssh://git@github.com/pawl/pawl.git',
  'fetch http://localhost:4873/@scope/package and https://example.com:8443/users/@me',
  'fetch http://localhost:PORT/@scope/a1 and http://[::1]:80/users2/@me and http://a.org:port/b@c and ssh://git@host:22/a2@b',
  'open https://me@host.org:8443/users/@me and http://${host}:${port}/a1@b and http://host:3000/node_modules/@types/node24@x',
  'the machine needs a login with password authentication2; <password>${word}</password> <password>string</password>',
  'curl -u "$ME:$PASSWORD" https://one.org and curl -u me https://one.org:8443/a1',
  'docker run -u 1000:1000 http://one.org; curl https://one.org | docker run -u 1000:1000 one',
  '"integrity": "sha512-Zk3mR0x9p1Q2w3E4r5T6y7U8i9O0pAsDfGhJkLzXcVbNmQwErTyUiOpAsDfGhJkLzXcVbNm1234567890AbCdEfGhI=="',
  'const token = lexer.next(); if (token.kind === TokenKind.Identifier2) return',
  'function login(user: string, password: string): Promise<Token2> {',
  'const { password, token } = await request.json()',
  'password: z.string().min(8), token: parseToken(header1), secret = config.secret2',
  'PASS: test_1.sh\nPASSWORD_MIN_LENGTH=12\nMAX_TOKENS=4096\nPWD=/srv/project2\n  tokens: 15000',
  'GITHUB_TOKEN=${{ secrets.GITHUB_TOKEN }} NPM_TOKEN=$NPM_TOKEN API_KEY=<your key> TOKEN=***',
  `fetch('http://localhost:'+port+'/@me'), 'http://host:80'+'@x'`,
  'docker://alpine:3.8@sha256:0f3b2c1d and postgres://app:${DB_PASSWORD}@db/app and https://user:{{password}}@host',
  'Unexpected token } in JSON at position 12; the secret of the password is its length',
  '<div class="sk-folding-cube sk-cube-grid-with-a-very-long-name-1"></div> task-runner-for-the-nightly-build-42',
  'the basic structure is fine; bearer of good news; basic authentication-middleware-for-everyone',
])('SECRET-9 what only resembles a secret stays as it is: %s', async (text) => {
  expect(await redactText(text)).toBe(text)
  expect(await redactJson({ note: text, list: [text] })).toEqual({ note: text, list: [text] })
})

/** With rules that try every way of dividing these, each takes from ten seconds to days. */
const HOSTILE: Readonly<Record<string, string>> = {
  'a run of backslashes': '\\'.repeat(100_000),
  'beginnings of tokens within each other': 'eyJ'.repeat(33_000),
  'an address of colons': `://${':'.repeat(100_000)}`,
  'a key of plus signs': `-----BEGIN PRIVATE KEY-----\n${'+'.repeat(3000)}!!11`,
  'plus signs before the end of a key': `${'+'.repeat(3000)}!!11\n-----END PRIVATE KEY-----`,
  'lines that are almost those of a key': `${' '.repeat(190)}!\n`.repeat(600),
  'beginnings of codes of colours': '\u001b[1;1;1;'.repeat(12_000),
  'names of passwords within each other': 'PASSWORD='.repeat(12_000),
  'addresses within each other': '://a:b'.repeat(17_000),
  'addresses within each other with slashes': '://a:b/c'.repeat(13_000),
  'calls of curl within each other': 'curl -u a:b://'.repeat(7000),
  'blanks before the end of a key': `${' '.repeat(100_000)}!!11\n-----END PRIVATE KEY-----`,
}

test.each(Object.entries(HOSTILE))(
  'SECRET-47 %s takes no longer than its length asks for',
  { timeout: 60_000 },
  async (_, text) => {
    expect(await redactJson({ text: `${text} is over`, more: [`${PROSE}\n${text}\n${PROSE}`] })).toHaveProperty('more')
    expect(await redactText(`${PROSE}\n${text}\n${PROSE}`)).toContain(PROSE)
  },
)

test('SECRET-10 redacting twice changes nothing more', async () => {
  const pieces = plantedSecrets().flatMap(({ text, name }) => [text, `${text}`.slice(0, -3), name])
  const piece = fc.oneof(
    fc.constantFrom(...pieces, '\n', '\r\n', ' ', '=', ':', '"', 'password', PROSE),
    fc.string({ unit: 'grapheme' }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 20 }), fc.nat({ max: 3 }), async (parts, repeats) => {
      const once = await redactText(parts.join('').repeat(repeats + 1))
      expect(await redactText(once)).toBe(once)
      const fact = await redactFact(factWith({ parts, once }))
      expect(await redactFact(fact)).toEqual(fact)
    }),
    { numRuns: 200 },
  )
})

function factWith(measures: Record<string, unknown>): Fact {
  const evidence = { facts: [1], measures }
  const data = { guard: 'budget', severity: 'warn', message: 'm', evidence, hint: 'h' }
  return { type: 'budget.warned', at: 1, by: { role: 'guard', name: 'budget' }, data } as Fact
}
