import { describe, expect, test } from 'vitest'
import { plantedSecrets } from '../testing/planted-secrets.ts'
import { redactSaid, redactText } from './filter.ts'
import { hasSecretHint } from './hint.ts'

/** The sign that begins the code of a colour: itself, as code and JSON write it, and as a terminal shows it. */
const WRITTEN = ['\u001b', String.raw`\u001b`, String.raw`\\u001b`, String.raw`\x1b`, String.raw`\033`, String.raw`\e`, '^[']

const ONE_LINE = plantedSecrets().filter(({ text }) => !text.includes('\n'))

describe.each(WRITTEN)('%j', (sign) => {
  test.each(ONE_LINE)('SECRET-58 $name is found right behind the code of a colour, and the code stays', async (planted) => {
    const { text, secret } = planted
    for (const code of ['[32m', '[1;38;5;12m', '[m', '[K'])
      for (const before of ['+ ', '', 'see', '"content":"+']) {
        const line = `${before}${sign}${code}${text}${sign}[0m after`
        expect(hasSecretHint(line)).toBe(true)
        const kept = await redactText(`first\n${line}\nlast`)
        expect(kept).not.toContain(secret)
        expect(kept).toMatch(/^first\n.*\[redacted: .*\].*\nlast$/)
      }
  })

  test('SECRET-58 what a name calls secret is found where each word has its own colour', async () => {
    const line = `${sign}[34m"password"${sign}[0m${sign}[1m:${sign}[0m ${sign}[32m"hunter22"${sign}[0m`
    expect(hasSecretHint(line)).toBe(true)
    expect(await redactText(line)).not.toContain('hunter22')
  })

  test('SECRET-58 a colour in the middle of a token hides neither of its parts', async () => {
    const [begin, end] = [['gh', 'p_AbCd1'].join(''), 'EfGh2IjKl3MnOp4QrSt5UvWx6YzAb7Cd']
    const kept = await redactText(`see ${begin}${sign}[01;31m${end}`)
    expect(kept).not.toContain(begin)
    expect(kept).not.toContain(end)
  })
})

test('SECRET-58 an event of a stream with such a token stays JSON', async () => {
  const token = plantedSecrets().find(({ name }) => name === 'GitHub token')?.text
  const line = JSON.stringify({ content: `+ \u001b[32m${token}\u001b[0m`, ok: true })
  expect(JSON.parse(await redactSaid(line))).toEqual({ content: '+ \u001b[32m[redacted: github]\u001b[0m', ok: true })
})

test.each(['https://x.org/?a%3DTOKEN', 'https://x.org/?to=%2FTOKEN%26b%3D1', 'q=say%20TOKEN'])(
  'SECRET-59 a token is found behind a sign that an address encodes: %s',
  async (address) => {
    const token = plantedSecrets().find(({ name }) => name === 'GitHub token')?.text ?? ''
    expect(await redactText(`see ${address.replace('TOKEN', token)}`)).toBe(
      `see ${address.replace('TOKEN', '[redacted: github]')}`,
    )
  },
)

test.each([`const reset = '\\u001b[0m', list = '\\x1b[1mtoken: ' + token`, '^[[32mPASS^[[0m src/a2/B3/c4.ts 50%25 of them'])(
  'SECRET-9 the code of a colour makes no secret: %s',
  async (text) => {
    expect(await redactText(text)).toBe(text)
  },
)
