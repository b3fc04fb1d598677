import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { keepSecret, keepSecretsOf, withoutCutSecret } from './known-values.ts'
import { redactJson, redactSaid, redactText } from './filter.ts'
import { hasSecretHint } from './hint.ts'
import { isSecretValue } from './variables.ts'

/** What generators of passwords and tokens use. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~+/=!@#$%^&*()<>"\'\\ ,;?{}[]|é'

const RANDOM_SECRET = fc
  .array(fc.constantFrom(...ALPHABET), { minLength: 8, maxLength: 48 })
  .map((characters) => characters.join(''))
  .filter((secret) => isSecretValue(secret) && /^[^\s"'`{[].*[^\s"'`]$/.test(secret) && !/\\n|%[0-9a-f]{2}/i.test(secret))

/** The same ones throughout: all tests of a process know what one of them made known. */
const SECRETS = fc.constantFrom(...fc.sample(RANDOM_SECRET, 60))

const PROSE = fc
  .array(
    fc.constantFrom('the', 'check', 'says', 'Login', 'of', 'a', 'user', 'fails', 'at', 'line', '12,', 'as', 'before.', '\n'),
    { maxLength: 12 },
  )
  .map((words) => words.join(' '))

function asJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

function inMarkup(text: string, by: Readonly<Record<string, string>>): string {
  return text.replaceAll(/[&<>"']/g, (sign) => by[sign] ?? sign)
}

const USERS = fc.constantFrom('me', 'you', 'root', 'admin')

type Around = readonly [before: string, secret: string, after: string]

/** As an agent or a tool may write a secret, and what is then around it. */
const WRITTEN: Readonly<Record<string, (secret: string, user: string) => Around>> = {
  'as it is': (secret) => [' ', secret, ' '],
  'in JSON': (secret) => [' {"a":"', asJson(secret), '"} '],
  'in JSON in JSON': (secret) => [' {"a":"{\\"b\\":\\"', asJson(asJson(secret)), '\\"}"} '],
  'in quotation marks': (secret) => [' "', secret, '" '],
  'percent-encoded': (secret) => [' http://host/?q=', encodeURIComponent(secret), '&r=1 '],
  'percent-encoded in small letters': (secret) => [
    ' http://host/?q=',
    encodeURIComponent(secret).replaceAll(/%../g, (each) => each.toLowerCase()),
    '&r=1 ',
  ],
  'as of a form': (secret) => [' q=', new URLSearchParams({ q: secret }).toString().slice(2), '&r=1 '],
  'in an address': (secret, user) => [` http://${user}:`, encodeURIComponent(secret), '@host:80/path '],
  'in hexadecimal': (secret) => [' ', Buffer.from(secret).toString('hex'), ' '],
  'in a text of XML': (secret) => [' <failure>', inMarkup(secret, { '&': '&amp;', '<': '&lt;', '>': '&gt;' }), '</failure> '],
  'in an attribute of XML': (secret) => [
    ' <failure message="',
    inMarkup(secret, { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }),
    '"/> ',
  ],
  'in HTML': (secret) => [
    ' <p>',
    inMarkup(secret, { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' }),
    '</p> ',
  ],
  'in JSON of XML': (secret) => [
    ' {"a":"<p>',
    asJson(inMarkup(secret, { '&': '&amp;', '<': '&lt;', '"': '&quot;', "'": '&#x27;' })),
    '</p>"} ',
  ],
  'in capital hexadecimal': (secret) => [' ', Buffer.from(secret).toString('hex').toUpperCase(), ' '],
}

test.each(Object.entries(WRITTEN))('SECRET-33 a known secret %s is taken out, and the text around it stays', async (_, write) => {
  await fc.assert(
    fc.asyncProperty(SECRETS, USERS, PROSE, PROSE, async (secret, user, start, end) => {
      const [before, written, after] = write(secret, user)
      const text = `${start}${before}${written}${after}${end}`
      keepSecret(secret, 'ODD')
      expect(hasSecretHint(text)).toBe(true)
      const kept = await redactText(text)
      expect(kept.replaceAll(/\[redacted: [\w-]+\]/g, '[]')).toBe(`${start}${before}[]${after}${end}`)
      expect(await redactText(kept)).toBe(kept)
    }),
    { numRuns: 60 },
  )
})

/** As it may be encoded together with more. */
const ENCODED: Readonly<Record<string, (secret: string, user: string) => string>> = {
  'with its user': (secret, user) => base64(`${user}:${secret}`),
  'of addresses': (secret, user) => Buffer.from(`${user}:${secret}`).toString('base64url'),
  'amid more': (secret, user) => base64(`{"${user}":"${secret}","more":1}`),
}

test.each(Object.entries(ENCODED))(
  'SECRET-33 of a known secret in base64 %s nothing stays that reveals it',
  async (_, encode) => {
    await fc.assert(
      fc.asyncProperty(SECRETS, USERS, PROSE, PROSE, async (secret, user, start, end) => {
        const text = `${start} ${encode(secret, user)} ${end}`
        keepSecret(secret, 'ODD')
        expect(hasSecretHint(text)).toBe(true)
        const kept = await redactText(text)
        expect([kept.slice(0, start.length + 1), kept.slice(kept.length - end.length - 1)]).toEqual([`${start} `, ` ${end}`])
        const rest = kept.slice(start.length + 1, kept.length - end.length - 1)
        expect(rest).toMatch(/^[\w+/=-]*\[redacted: [\w-]+\][\w+/=-]*$/)
        // Read as what it was, at whatever place it begins, what is left says nothing of the secret.
        const pieces = rest.split(/\[redacted: [\w-]+\]/).flatMap((piece) => [0, 1, 2, 3].map((cut) => piece.slice(cut)))
        for (const piece of pieces) expect(Buffer.from(piece, 'base64').toString()).not.toContain(secret.slice(0, 3))
        expect(await redactText(kept)).toBe(kept)
      }),
      { numRuns: 60 },
    )
  },
)

test.each(['&quot;|&apos;', '&#34;|&#39;', '&quot;|&#x27;', '&quot;|&#039;', `"|'`])(
  'SECRET-41 a known secret escaped as in XML or HTML is taken out, with quotation marks as %s',
  async (marks) => {
    keepSecret(`a&b<c>"d'e-Hazel`, 'ODD')
    const [double = '', single = ''] = marks.split('|')
    const report = `<failure message="no &amp; a&amp;b&lt;c&gt;${double}d${single}e-Hazel &lt; it"/>`
    expect(await redactText(report)).toBe('<failure message="no &amp; [redacted: ODD] &lt; it"/>')
  },
)

test('SECRET-33 base64 that is wrapped is known across its line ends, in JSON as well', async () => {
  const secret = Array.from({ length: 15 }, (_, index) => `Part-${index}-${index * 7919}`).join('.')
  keepSecret(secret, 'ODD')
  const lines = base64(`you:${secret}`).match(/.{1,76}/g) ?? []
  expect(lines.length).toBeGreaterThan(2)
  for (const lineEnd of ['\n', '\r\n']) {
    const text = `see\n${lines.join(lineEnd)}\nend`
    const kept = await redactText(text)
    expect(kept).toMatch(/^see\n\w{0,8}\[redacted: ODD\]\nend$/)
    expect(JSON.parse(await redactText(JSON.stringify({ text })))).toEqual({ text: kept })
  }
})

test.each(['\n', '\r\n', '\n    ', '\n\t', '\r\n  \t'])(
  'SECRET-45 a known secret in hexadecimal or base64 is found across line ends and the blanks behind them: %j',
  async (lineEnd) => {
    const secret = 'wrapped and indented, a sentence of Hazel that is long enough to take several lines of either'
    keepSecret(secret, 'ODD')
    const wrapped = [
      Buffer.from(secret)
        .toString('hex')
        .match(/.{1,60}/g) ?? [],
      Buffer.from(secret)
        .toString('hex')
        .toUpperCase()
        .match(/.{1,60}/g) ?? [],
      base64(secret).match(/.{1,64}/g) ?? [],
    ]
    for (const lines of wrapped) {
      expect(lines.length).toBeGreaterThan(1)
      const text = `see${lineEnd}${lines.join(lineEnd)}\n\nend`
      expect(hasSecretHint(text)).toBe(true)
      expect(await redactJson({ text })).toEqual({ text: `see${lineEnd}[redacted: ODD]\n\nend` })
      expect(hasSecretHint(JSON.stringify({ text }))).toBe(true)
      expect(JSON.parse(await redactText(JSON.stringify({ text })))).toEqual({ text: `see${lineEnd}[redacted: ODD]\n\nend` })
    }
  },
)

/** What may follow a secret on its line. */
const NEXT_LINES = ['AROUND-9', 'LAST', 'zzz', '0', '/work', 'ffff', 'done.']

test('SECRET-52 of a known secret that is encoded nothing more goes than what holds it: the line end and the next line stay', async () => {
  for (let length = 16; length <= 60; length++) {
    const secret = 'Wq8r71#29plmokn:BHYTGF/9182736450@mnbvcxzl-Hazel-of-the-next-lines'.slice(0, length)
    keepSecret(secret, 'ODD')
    const hexadecimal = Buffer.from(secret).toString('hex')
    const forms = [
      hexadecimal,
      base64(secret),
      base64(secret).replace(/=+$/, ''),
      hexadecimal.match(/.{1,60}/g)?.join('\n') ?? '',
    ]
    for (const [index, form] of forms.entries()) {
      const next = NEXT_LINES[(length + index) % NEXT_LINES.length] ?? ''
      expect(await redactText(`it is ${form}\n${next}\nend`)).toBe(`it is [redacted: ODD]\n${next}\nend`)
      const said = { text: `it is\n${form}\n${next}` }
      expect(JSON.parse(await redactText(JSON.stringify(said)))).toEqual({ text: `it is\n[redacted: ODD]\n${next}` })
    }
  }
})

test('SECRET-52 what is before a known secret in base64 stays, on its line and on a long one above', async () => {
  keepSecret('before-it-Hazel-1', 'ODD')
  const above = 'Ab1'.repeat(20)
  expect(await redactText(`${above}\n${base64('before-it-Hazel-1')}\nLAST`)).toBe(`${above}\n[redacted: ODD]\nLAST`)
  expect(await redactText(`x${base64('before-it-Hazel-1')}`)).toBe('x[redacted: ODD]')
})

test('SECRET-52 the last character of base64 goes even if it is alone on the next line', async () => {
  const secret = 'alone-on-the-next-line-of-Hazel-1'.padEnd(46, 'x')
  keepSecret(secret, 'ODD')
  const encoded = base64(secret).replace(/=+$/, '')
  const lines = [encoded.slice(0, -1), encoded.slice(-1)]
  expect(await redactText(`it is\n${lines.join('\n')}\nend`)).toBe('it is\n[redacted: ODD]\nend')
})

function digits(sign: string): string {
  return sign.charCodeAt(0).toString(16).padStart(4, '0')
}

const BY_NUMBER: Readonly<Record<string, RegExp>> = {
  'all characters': /./gu,
  'what is not ASCII': /[^ -~]/g,
  'signs of HTML': /[<>&'+"]/g,
  'every other letter': /[a-m]/g,
}

test.each(Object.entries(BY_NUMBER))(
  'SECRET-51 a known secret in JSON with %s written by number is taken out alone',
  async (_, pattern) => {
    const secret = `by-nümber-é-<&'"+>-Hazel`
    keepSecret(secret, 'ODD')
    for (const isLoud of [false, true]) {
      const written = asJson(secret).replaceAll(pattern, (sign) => `\\u${isLoud ? digits(sign).toUpperCase() : digits(sign)}`)
      const line = `{"text":"see ${written} end","ok":true}`
      for (const text of [line, JSON.stringify({ line })]) {
        expect(hasSecretHint(text)).toBe(true)
        expect(await redactText(text)).toBe(
          text === line
            ? '{"text":"see [redacted: ODD] end","ok":true}'
            : JSON.stringify({ line: '{"text":"see [redacted: ODD] end","ok":true}' }),
        )
      }
    }
  },
)

test('SECRET-31 a line of JSON stays one, whatever is known and however it is written in it', async () => {
  await fc.assert(
    fc.asyncProperty(SECRETS, PROSE, async (secret, prose) => {
      keepSecret(secret, 'ODD')
      const event = {
        type: 'said',
        text: `${prose}\n${secret}`,
        more: JSON.stringify({ deep: [`"${secret}"`, prose] }),
        ok: true,
      }
      const line = JSON.stringify(event)
      for (const kept of [await redactText(line), (await redactSaid(`first\n${line}\nlast`)).split('\n')[1] ?? '']) {
        const read = JSON.parse(kept) as typeof event
        expect(read).toMatchObject({ type: 'said', text: `${prose}\n[redacted: ODD]`, ok: true })
        expect(JSON.parse(read.more)).toEqual({ deep: ['"[redacted: ODD]"', prose] })
      }
    }),
    { numRuns: 100 },
  )
  // The letter of a line end in JSON may be the first of a secret.
  keepSecret('new-password-1', 'ODD')
  expect(JSON.parse(await redactText('{"a":"one\\new-password-1"}'))).toEqual({ a: 'one[redacted: ODD]' })
})

test('SECRET-32 of a value its password, what is in its quotation marks, what it encodes and what its JSON names secret are known', async () => {
  keepSecretsOf({
    CREDENTIALS: 'ann:part-of-user-1',
    BASIC_AUTH: base64('bob:encoded-part-2'),
    PROXY_AUTH: `Basic ${base64('eve:header-part-3')}`,
    QUOTED_KEY: '"quoted-part-4"',
    TWICE_TOKEN: `'"quoted-part-5"'`,
    DATABASE_URL: 'postgres://app:p%40ss-part-6@db/app?mail=me@home',
    HTTPS_PROXY: 'http://me:pa@ss-part-7@proxy:1',
    GIT_REMOTE: 'https://abcdef0123456789abcd:x-oauth-basic@host/a.git',
    SERVICE_CREDENTIALS: JSON.stringify({ type: 'service_account', client: { client_secret: 'json-part-8' } }),
  })
  const parts = {
    'part-of-user-1': 'CREDENTIALS',
    'encoded-part-2': 'BASIC_AUTH',
    'header-part-3': 'PROXY_AUTH',
    'quoted-part-4': 'QUOTED_KEY',
    'quoted-part-5': 'TWICE_TOKEN',
    'p@ss-part-6': 'DATABASE_URL',
    'p%40ss-part-6': 'DATABASE_URL',
    'pa@ss-part-7': 'HTTPS_PROXY',
    abcdef0123456789abcd: 'GIT_REMOTE',
    'json-part-8': 'SERVICE_CREDENTIALS',
  }
  for (const [part, name] of Object.entries(parts))
    expect(await redactText(`it is ${part}, so`)).toBe(`it is [redacted: ${name}], so`)
  expect(await redactText('{"key":"quoted-part-4"}')).toBe('{"key":"[redacted: QUOTED_KEY]"}')
  expect(await redactText('ann and bob of service_account at db/app')).toBe('ann and bob of service_account at db/app')
})

test('SECRET-37 of a list each entry is known, of a connection string what it calls a password, and of JSON the tokens within it', async () => {
  const token = 'q7RwT2ySx9ZbK4mN'
  keepSecretsOf({
    API_KEYS: 'key-one-1,key-two-2; key-three-3 well-known production',
    STORE_URL: 'postgres://u:p%40ssw0rd!x@db/app',
    MAIL_CREDENTIALS: 'Server=mail9.internal;User=postmaster1;Password=conn-word-4;',
    DOCKER_AUTH_CONFIG: JSON.stringify({ auths: { 'registry-1.example': { auth: base64('bob:docker-word-5') } } }),
    ACCESS_TOKENS: JSON.stringify(['json-word-6', 'json-word-7']),
    SERVICE_TOKEN: JSON.stringify({ project_id: 'my-project-123456', private_key_id: token.toLowerCase(), staging: token }),
  })
  const known = {
    API_KEYS: ['key-one-1', 'key-two-2', 'key-three-3'],
    STORE_URL: ['p%40ssw0rd!x', 'p@ssw0rd!x'],
    MAIL_CREDENTIALS: ['conn-word-4'],
    DOCKER_AUTH_CONFIG: ['docker-word-5', base64('bob:docker-word-5')],
    ACCESS_TOKENS: ['json-word-6', 'json-word-7'],
    SERVICE_TOKEN: [token],
  }
  for (const [name, parts] of Object.entries(known))
    for (const part of parts) expect(await redactText(`it is ${part}, so`)).toBe(`it is [redacted: ${name}], so`)
  const open = `well-known production mail9.internal postmaster1 registry-1.example my-project-123456 ${token.toLowerCase()}`
  expect(await redactText(open)).toBe(open)
})

test('SECRET-37 the words of a key in several lines, or of a sentence, stay', async () => {
  keepSecretsOf({
    SIGNING_KEY: ['-----BEGIN', 'ODD KEY-----\nw4Zu8Hq2Mx7Lr9Tb3Kd5\n-----END ODD KEY-----'].join(' '),
    WORD_SECRET: 'this is well-known',
  })
  const text = '-----BEGIN ODD KEY----- is well-known'
  expect(await redactText(text)).toBe(text)
  expect(await redactText('see w4Zu8Hq2Mx7Lr9Tb3Kd5')).toBe('see [redacted: SIGNING_KEY]')
})

test('SECRET-32 short or plain words are no parts', async () => {
  keepSecretsOf({
    SOME_AUTH: 'ann:production',
    OTHER_AUTH: 'ann:short1',
    THIRD_KEY: '"disabled"',
    FOURTH_KEY: 'C:\\keys\\service-1',
  })
  const text = 'production short1 "disabled" \\keys\\service-1 C:\\keys\\service-1'
  expect(await redactText(text)).toBe(text)
})

test('SECRET-25 a known password in an address is taken out alone, under its name, and so is its line of JSON kept', async () => {
  keepSecretsOf({ HTTPS_PROXY: 'http://me:proxy-word-9@127.0.0.1:1' })
  const event = { type: 'error', message: 'no way through http://me:proxy-word-9@127.0.0.1:1 today', code: 7 }
  expect(JSON.parse(await redactText(JSON.stringify(event)))).toEqual({
    ...event,
    message: 'no way through http://me:[redacted: HTTPS_PROXY]@127.0.0.1:1 today',
  })
})

test('SECRET-10 a value that is the name of a variable does not grow if that name has another value', async () => {
  keepSecretsOf({ NAMED_KEY: 'NAMED_KEY', OTHER_KEY: 'NAMED_KEY' })
  keepSecret('what-it-holds-1', 'NAMED_KEY')
  const kept = await redactText('it is what-it-holds-1, or NAMED_KEY')
  expect(kept).toBe('it is [redacted: NAMED_KEY], or [redacted: OTHER_KEY]')
  expect(await redactText(kept)).toBe(kept)
})

test('SECRET-28 the beginning of an encoded secret that a cut left is taken away', () => {
  keepSecret('cut-in-base64-1', 'ODD')
  const encoded = base64('cut-in-base64-1')
  expect(withoutCutSecret(`I send ${encoded.slice(0, 10)}…`)).toBe('I send …')
  expect(withoutCutSecret(`I send ${encoded.slice(0, 6)}…`)).toBe(`I send ${encoded.slice(0, 6)}…`)
})
