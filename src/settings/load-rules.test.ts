import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadRules } from './load-rules.ts'
import { parseConfig } from './parse-config.ts'

const folder = mkdtempSync(join(tmpdir(), 'pawl-rules-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function file(text: string): string {
  const path = join(folder, 'rules.yaml')
  writeFileSync(path, text)
  return path
}

const RULE = { type: 'command', name: 'tests', config: { command: 'npm test' } }

test.each([
  ['a list', JSON.stringify([RULE])],
  ['one rule', JSON.stringify(RULE)],
  ['a map with rules', 'rules:\n  - { type: command, name: tests, config: { command: npm test } }\n'],
  ['a map with validationRules', JSON.stringify({ validationRules: [RULE] })],
])('CLI-360 a file of rules may hold %s', async (_what, text) => {
  expect(await loadRules(file(text))).toEqual([RULE])
})

test.each([
  ['', 'holds no rules'],
  ['[]', 'holds no rules'],
  ['rules: 3', 'holds no rules'],
  ['just words', 'holds no rules'],
  ['{ a: [', 'cannot be read as YAML or JSON'],
])('CLI-360 %j in its place is refused', async (text, words) => {
  await expect(loadRules(file(text))).rejects.toThrow(words)
})

test('CLI-361 rules in pawl.yaml keep their config as it is, and everything wrong with them is reported with its place', () => {
  const text = 'rules:\n  - type: coverage\n    name: cov\n    config: { minCoverage: 80, path: a_b/lcov.info }\n'
  expect(parseConfig(text, 'pawl.yaml').rules).toMatchObject([
    { type: 'coverage', name: 'cov', config: { minCoverage: 80, path: 'a_b/lcov.info' } },
  ])
  const inside =
    'rules:\n  - { type: coverage, name: a, config: { minCoverage: 101, pth: x } }\n  - { type: file_existence, name: b }\n'
  expect(() => parseConfig(inside, 'pawl.yaml')).toThrow(
    [
      'pawl.yaml:2:55: "minCoverage" must be a number from 0 to 100, not 101',
      'pawl.yaml:2:60: unknown key "pth"; did you mean "path"?',
      'pawl.yaml:3:5: "paths" is missing: it must be a list of at least one path',
    ].join('\n'),
  )
  const wrong =
    'rules:\n  - { type: regex, name: a }\n  - { type: command, nam: b, config: { command: x } }\n  - { type: command, name: c, config: 3 }\n'
  expect(() => parseConfig(wrong, 'pawl.yaml')).toThrow(
    [
      'pawl.yaml:2:13: "type" must be one of command, content_pattern, coverage, file_existence, custom, not the text "regex"',
      'pawl.yaml:3:5: "name" is missing: it must be one line of text',
      'pawl.yaml:3:22: unknown key "nam"; did you mean "name"?',
      'pawl.yaml:4:39: "config" must be a map of settings, not 3',
    ].join('\n'),
  )
})
