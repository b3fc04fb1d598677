import { expect, test } from 'vitest'
import { isStalledPatch, normalisedPatch, patchSimilarity } from './patch-similarity.ts'

/** A diff of one file that puts these lines in place of one. */
function diffOf(file: string, lines: readonly string[], { context = 'same', start = 10 } = {}): string {
  return [
    `diff --git a/${file} b/${file}`,
    'index 83db48f..bf2a4c1 100644',
    `--- a/${file}`,
    `+++ b/${file}`,
    `@@ -${start},3 +${start},${lines.length + 2} @@ function ${context}()`,
    ` ${context}`,
    '-old line',
    ...lines.map((line) => `+${line}`),
    ` ${context}`,
    '',
  ].join('\n')
}

const many = Array.from({ length: 100 }, (_, index) => `const value${index} = ${index}`)

test('SIM-9 a patch is its changed lines with file and sign, in whatever order', () => {
  const { lines } = normalisedPatch(diffOf('b.ts', ['two', 'one', 'one']) + diffOf('a.ts', ['one']))
  expect(lines).toEqual(['a.ts + one', 'a.ts - old line', 'b.ts + one', 'b.ts + one', 'b.ts + two', 'b.ts - old line'])
})

test.each([
  ['context and places', diffOf('a.ts', many, { context: 'other', start: 99 })],
  ['the order of lines', diffOf('a.ts', many.toReversed())],
  [
    'whitespace',
    diffOf(
      'a.ts',
      many.map((line) => `\t ${line.replaceAll(' ', '  ')} `),
    ),
  ],
])('SIM-9 %s make no difference', (_what, diff) => {
  expect(normalisedPatch(diff)).toEqual(normalisedPatch(diffOf('a.ts', many)))
})

test('SIM-9 the order of files makes no difference', () => {
  const [one, other] = [diffOf('a.ts', ['one']), diffOf('b.ts', many)]
  expect(normalisedPatch(one + other).fingerprint).toBe(normalisedPatch(other + one).fingerprint)
})

test.each([
  ['at 2026-11-16T02:18:16.123Z sharp', 'at 2026-11-16T02:19:00Z sharp'],
  ['2026-11-16 02:18:16', '2026-11-17 12:18:16'],
  ['2026-11-16T02:18Z', '2026-11-16T02:19Z'],
  ['(2026-11-16T02:18:16+01:00)', '(2026-11-16T02:19:16+0100)'],
  ['stamp = 1794788634', 'stamp = 1794788635'],
  ['took until 02:18:16,5', 'took until 03:00:00'],
  ['stamp = 1794788634395', 'stamp = 1794788634999'],
])('SIM-9 a point in time makes no difference: %s', (one, other) => {
  expect(normalisedPatch(diffOf('a.ts', [one])).fingerprint).toBe(normalisedPatch(diffOf('a.ts', [other])).fingerprint)
})

test.each([
  ['max = 1000000000', 'max = 1000000001'],
  ['api version 2026-11-16', 'api version 2025-01-01'],
  ['ratio 10:20', 'ratio 10:21'],
])('SIM-9 other numbers do make a difference: %s', (one, other) => {
  expect(normalisedPatch(diffOf('a.ts', [one])).fingerprint).not.toBe(normalisedPatch(diffOf('a.ts', [other])).fingerprint)
})

test('SIM-10 a diff that was cut inside a hunk does not swallow the next file', () => {
  const cutShort = diffOf('a.ts', many).split('\n').slice(0, 8).join('\n')
  const { lines } = normalisedPatch(`${cutShort}\n${diffOf('b.ts', ['one'])}`)
  expect(lines).toEqual(['a.ts + const value0 = 0', 'a.ts - old line', 'b.ts + one', 'b.ts - old line'])
})

test('SIM-10 what looks like a header inside a hunk is a changed line, and a header is not', () => {
  const diff = [
    '--- a/q.sql\t2026-11-16',
    '+++ b/q.sql\t2026-11-16',
    '@@ -1 +1,2 @@',
    '--- old comment',
    '+++ new',
    '+@@ -1 +1 @@',
    '\\ No newline at end of file',
    '',
  ]
  expect(normalisedPatch(diff.join('\n')).lines).toEqual(['q.sql + ++ new', 'q.sql + @@ -1 +1 @@', 'q.sql - -- old comment'])
})

test('SIM-10 a deleted file keeps its name, a binary file counts by its content', () => {
  const deleted = 'diff --git a/x b/x\ndeleted file mode 100644\nindex 1..0\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n'
  const binary = 'diff --git a/p.png b/p.png\nindex 83db48f..bf2a4c1 100644\nBinary files a/p.png and b/p.png differ\n'
  expect(normalisedPatch(deleted + binary).lines).toEqual(['p.png ! 83db48f..bf2a4c1 100644', 'x - gone'])
})

test('SIM-11 similarity is the share of common lines, and a line changed in another way differs in both', () => {
  const other = many.with(0, 'something else')
  expect(patchSimilarity(diffOf('a.ts', many), diffOf('a.ts', other))).toEqual({ similarity: 200 / 202, linesDiffering: 2 })
  expect(patchSimilarity('', '')).toEqual({ similarity: 1, linesDiffering: 0 })
})

test.each([
  ['the same again', many, {}, true],
  ['four lines that only one has', [...many, '1', '2', '3', '4'], {}, true],
  ['five of them', [...many, '1', '2', '3', '4', '5'], {}, false],
  ['more where more are allowed', [...many, '1', '2', '3', '4', '5'], { linesDifferingMax: 5 }, true],
  ['two lines of three', many.slice(0, 2), { linesDifferingMax: 1000 }, false],
  ['less alike where less is asked for', many.slice(0, 90), { linesDifferingMax: 1000, similarityMin: 0.9 }, true],
])('SIM-12 a patch is stalled when it is 0.97 alike and at most 4 lines differ: %s', (_what, lines, options, isStalled) => {
  expect(isStalledPatch(diffOf('a.ts', many), diffOf('a.ts', lines), options)).toBe(isStalled)
})

test('SIM-12 the same lines in another file are another patch', () => {
  expect(isStalledPatch(diffOf('a.ts', many), diffOf('b.ts', many))).toBe(false)
})

test('SIM-13 an empty diff is never stalled', () => {
  expect(isStalledPatch('', '')).toBe(false)
  expect(isStalledPatch(diffOf('a.ts', many), '')).toBe(false)
})

test('SIM-8 settings that cannot work are refused', () => {
  expect(() => isStalledPatch('', '', { similarityMin: 97 })).toThrow('similarityMin')
  expect(() => isStalledPatch('', '', { linesDifferingMax: -1 })).toThrow('linesDifferingMax')
})

test('SIM-14 a normalised patch survives storing, and compares as the diff it was made from', () => {
  const [one, other] = [diffOf('a.ts', many), diffOf('a.ts', many.slice(1))]
  const stored = JSON.parse(JSON.stringify(normalisedPatch(one))) as ReturnType<typeof normalisedPatch>
  expect(patchSimilarity(stored, other)).toEqual(patchSimilarity(one, other))
})
