import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitCommand } from './command-line.ts'

test.each([
  ['npm test', ['npm', 'test']],
  ['  npm \t test  ', ['npm', 'test']],
  [`node -e 'console.log("a b")'`, ['node', '-e', 'console.log("a b")']],
  [`a "b c" d\\ e`, ['a', 'b c', 'd e']],
  [`a ""`, ['a', '']],
  [`a''b"c"`, ['abc']],
  [String.raw`a "\"\\\$\x"`, ['a', String.raw`"\$\x`]],
  ['a \\\n b', ['a', 'b']],
  ['grep "x$" file', ['grep', 'x$', 'file']],
  ['my-agent {brief}', ['my-agent', '{brief}']],
  ['a#b c=d', ['a#b', 'c=d']],
  [`a '|' "&&" \\;`, ['a', '|', '&&', ';']],
  ['', []],
])('CONFIG-12 %j is split as a shell would', (text, words) => {
  expect(splitCommand(text)).toEqual({ words })
})

test.each([
  ['a | b', '|'],
  ['a && b', '&'],
  ['a; b', ';'],
  ['a > b', '>'],
  ['a < b', '<'],
  ['echo $HOME', '$'],
  ['echo "$HOME"', '$'],
  ['echo `id`', '`'],
  ['ls *.ts', '*'],
  ['ls a?', '?'],
  ['ls [ab]', '['],
  ['ls ~/x', '~'],
  ['(a)', '('],
  ['CI=1 npm test', 'CI=1'],
  ['npm ci\nnpm test', 'a line break'],
  ["npm test # it's all", '#'],
  ['! grep x y', '!'],
  ['cd web', 'cd'],
])('CONFIG-13 %j needs a shell because of %s', (text, because) => {
  expect(splitCommand(text).needsShell).toBe(because)
})

test.each([`a "b`, `a 'b`, `a "b\\"`, 'a \\'])('CONFIG-12 %j is refused: something is not closed', (text) => {
  expect(() => splitCommand(text)).toThrow(/never closed|quotes nothing/)
})

test('CONFIG-12 whatever is said to need no shell, sh splits in the same way', () => {
  const piece = fc.constantFrom('a', 'b', ' ', '  ', '\n', '\t', ...'"\'\\$~{}=#!%é-/,]^|*')
  const texts = fc
    .sample(fc.array(piece, { minLength: 1, maxLength: 12 }), { numRuns: 3000, seed: 7 })
    .map((pieces) => pieces.join(''))
  const split = texts.flatMap((text) => {
    try {
      const { words, needsShell } = splitCommand(`x ${text}`)
      return needsShell === undefined ? [{ text, words }] : []
    } catch {
      return []
    }
  })
  expect(split.length).toBeGreaterThan(300)
  // The first argument is always there, so that a line without any is no special case.
  const script = split.map(({ text }) => `printf '%s\\0' x ${text.trim()}\nprintf '\\1'`).join('\n')
  const folder = mkdtempSync(join(tmpdir(), 'pawl-split-'))
  try {
    const output = execFileSync('/bin/sh', ['-c', script], {
      cwd: folder,
      env: { HOME: '/nowhere', LC_ALL: 'C.UTF-8' },
      encoding: 'utf8',
    })
    const lines = output.split('\u0001').slice(0, -1)
    expect(lines.map((line) => line.split('\0').slice(0, -1))).toEqual(split.map(({ words }) => words))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
