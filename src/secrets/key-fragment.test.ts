import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { redactSaid, redactText } from './filter.ts'
import { hasSecretHint } from './hint.ts'

/** Lines of base64 that look as random as those of a key. */
function keyLines(count: number, length = 64): readonly string[] {
  return Array.from({ length: count }, (_, line) => {
    const bytes = [0, 1].map((half) => createHash('sha512').update(`${line}/${half}`).digest())
    return Buffer.concat(bytes).toString('base64').slice(0, length)
  })
}

/** A hunk that changes one line amid others, as git shows it. */
function hunk(file: string, lines: readonly string[]): string {
  const [heading = '', first = '', second = '', third = '', old = '', ...rest] = lines
  const changed = old.split('').toReversed().join('')
  const head = [`diff --git a/${file} b/${file}`, `--- a/${file}`, `+++ b/${file}`, `@@ -9,7 +9,7 @@ ${heading}`]
  return [...head, ` ${first}`, ` ${second}`, ` ${third}`, `-${old}`, `+${changed}`, ...rest.map((line) => ` ${line}`)].join('\n')
}

test.each([64, 70])('SECRET-60 a diff of one line amid a private key keeps no line of it, of %i characters', async (length) => {
  for (const file of ['deploy/id_rsa', 'server.pem', 'notes.txt']) {
    const lines = keyLines(8, length)
    const diff = `${hunk(file, lines)}\ndiff --git a/b.ts b/b.ts\n+const one = 1`
    expect(hasSecretHint(diff)).toBe(true)
    const kept = await redactText(diff)
    for (const line of lines) expect(kept).not.toContain(line.slice(0, 40))
    expect(kept).toContain(`+++ b/${file}\n[redacted: private-key]\ndiff --git a/b.ts b/b.ts\n+const one = 1`)
    expect(await redactText(kept)).toBe(kept)
    const said = await redactSaid(JSON.stringify({ type: 'tool', output: diff, ok: true }))
    for (const line of lines) expect(said).not.toContain(line.slice(0, 40))
    expect(JSON.parse(said)).toMatchObject({ ok: true })
  }
})

test('SECRET-60 the shorter line that ends them goes too, and a word below them stays', async () => {
  const lines = keyLines(4)
  const last = 'q7RwT2ySx9ZbK4mNc8Vd'
  expect(await redactText(`a\n${[...lines, last].join('\n')}\nb`)).toBe('a\n[redacted: private-key]\nb')
  expect(await redactText(`a\n${[...lines, 'Zg=='].join('\n')}\nb`)).toBe('a\n[redacted: private-key]\nb')
  expect(await redactText(`a\n${[...lines, 'done'].join('\n')}`)).toBe('a\n[redacted: private-key]\ndone')
  expect(await redactText(lines.map((line, index) => `  ${index + 8}→${line}`).join('\n'))).toBe('[redacted: private-key]')
  expect(await redactText(lines.map((line) => `+    "${line}\\n" +`).join('\n'))).toBe('[redacted: private-key]')
})

test.each<[string, string]>([
  ['a certificate', ['-----BEGIN CERTIFICATE-----', ...keyLines(8)].join('\n')],
  ['the end of one', [...keyLines(8), 'Zm9vYmFy', '-----END CERTIFICATE-----'].join('\n')],
  ['a signature', ['-----BEGIN PGP SIGNATURE-----', 'Version: GnuPG v2', '', ...keyLines(8), '=aB3d'].join('\n')],
  ['a file of certificates', hunk('deploy/server.crt', keyLines(8))],
  ['one that is taken away', hunk('server.crt', keyLines(8)).replace('+++ b/server.crt', '+++ /dev/null')],
  ['a public key', hunk('keys/id_rsa.pub', keyLines(8, 70))],
  ['two lines', ['see', ...keyLines(2), 'and so on'].join('\n')],
  ['lines of base64 as MIME breaks them', keyLines(8, 76).join('\n')],
  [
    'fingerprints',
    keyLines(8)
      .map((line) => createHash('sha256').update(line).digest('hex'))
      .join('\n'),
  ],
  [
    'integrities',
    keyLines(5, 86)
      .map((line) => `+      "integrity": "sha512-${line}==",`)
      .join('\n'),
  ],
])('SECRET-9 what everybody may know, or only resembles lines of a key, stays as it is: %s', async (_, text) => {
  expect(await redactText(`before\n${text}\nafter`)).toBe(`before\n${text}\nafter`)
})
