import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { RightSide, Ruling } from '../core/ruling.ts'
import { reportParsers } from '../checks/reports/index.ts'
import { temporaryProject, type TemporaryProject } from '../../test/support/temporary-project.ts'
import { tinker } from './tinker.ts'

const projects: TemporaryProject[] = []
const memory = temporaryProject({})

beforeAll(() => void vi.stubEnv('TMPDIR', memory.folder))
afterAll(() => {
  vi.unstubAllEnvs()
  for (const each of [...projects, memory]) each.remove()
})

type Files = Readonly<Record<string, string>>

const HEAD = "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\n"
const NODE = ['node', '--test-reporter=tap', 'test/a.test.js']

/** Lets tinker work on the files in one call of 25 tries, and gives the files that are others then. */
async function changedBy(given: Files, ruling: Ruling | undefined, check: readonly string[] = NODE) {
  const files = { 'package.json': '{ "type": "module" }\n', ...given }
  const project = temporaryProject(files)
  projects.push(project)
  const { summary } = await tinker({
    cwd: project.folder,
    env: { PATH: process.env['PATH'] ?? '' },
    settings: {
      check,
      triesMax: 25,
      secondsMax: 60,
      iteration: 1,
      run: 'test',
      seed: '',
      ...(ruling ? { rulings: [ruling] } : {}),
    },
    brief: '',
    parsers: reportParsers,
    say: () => undefined,
    signal: new AbortController().signal,
  })
  const changed = Object.entries(project.readAll()).filter(([path, text]) => files[path as keyof typeof files] !== text)
  return { summary, changed: Object.fromEntries(changed) }
}

function lines(text = ''): readonly string[] {
  return text.split('\n')
}

function right(side: RightSide, name: string): Ruling {
  return { test: name, right: side, wanted: 'this', given: 'that' }
}

const PRICE: Files = {
  'src/price.js':
    "export function total(lines) {\n  return lines.reduce((sum, line) => sum + line.price, 0)\n}\n\nexport function label(price) {\n  return '$' + price\n}\n",
  'test/a.test.js': `${HEAD}import { label, total } from '../src/price.js'\n\ntest('label has two decimals', () => assert.equal(label(3), '$3.00'))\ntest('label of cents', () => assert.equal(label(3.25), '$3.25'))\ntest('sum', () => assert.equal(total([{ price: 1 }, { price: 2 }]), 3))\n`,
}

const COUNTER: Files = {
  'src/store.js':
    "const rows = [{ id: 7, name: 'tea' }, { id: 8, name: 'ink' }]\n\nexport function byId(id) {\n  return rows.find((row) => row.id === id)\n}\n\nexport function link(row) {\n  const { name } = row\n  return { id: row.id, name }\n}\n\nexport function follow({ id }) {\n  return byId(id)\n}\n",
  'test/a.test.js': `${HEAD}import { byId, follow, link } from '../src/store.js'\n\ntest('ids of links are texts', () => assert.deepEqual(link(byId(7)), { id: '7', name: 'tea' }))\ntest('a link leads back', () => assert.equal(follow(link(byId(8))).name, 'ink'))\ntest('ids are numbers', () => assert.equal(byId(7).id, 7))\n`,
}

const CASES: Files = {
  'src/user.js': "export const user = (mail) => ({ mail, domain: mail.split('@')[1] })\n",
  'test/a.test.js': `${HEAD}import { user } from '../src/user.js'\n\ntest('mails are in small letters', () => assert.equal(user('Ada@Example.org').mail, 'ada@example.org'))\ntest('no domain without a mail', () => assert.equal(user('ada').domain, undefined))\n`,
}

describe.concurrent("with a person's word tinker", () => {
  test('TINKER-20 gives a number the form that the test is right about', async () => {
    const { summary, changed } = await changedBy(PRICE, right('test', 'label has two decimals'))
    expect(summary).toMatch(/all 3 tests pass$/)
    expect(Object.keys(changed)).toEqual(['src/price.js'])
    expect(changed['src/price.js']).toContain("'$' + price.toFixed(2)")
  })

  test('TINKER-20 converts a value, and back where that breaks another test', async () => {
    const { summary, changed } = await changedBy(COUNTER, right('test', 'ids of links are texts'))
    expect(summary).toMatch(/all 3 tests pass$/)
    expect(Object.keys(changed)).toEqual(['src/store.js'])
    expect(changed['src/store.js']).toContain('id: String(row.id)')
  })

  test('TINKER-20 writes out the key of a value that is in an object by its name alone', async () => {
    const { changed } = await changedBy(CASES, right('test', 'mails are in small letters'))
    expect(changed['src/user.js']).toContain('{ mail: mail.toLowerCase(), domain')
  })

  test.for<[string, Files, string, string]>([
    ['a text', PRICE, 'label has two decimals', "label(3), '$3')"],
    ['a number in an object', COUNTER, 'ids of links are texts', "{ id: 7, name: 'tea' }"],
    ['the case of a text', CASES, 'mails are in small letters', "'Ada@Example.org').mail, 'Ada@Example.org')"],
  ])('TINKER-21 changes what exactly that test expects where the code is right: %s', async ([, files, name, expected]) => {
    const { summary, changed } = await changedBy(files, right('code', name))
    expect(summary).toMatch(/all \d tests pass$/)
    expect(Object.keys(changed)).toEqual(['test/a.test.js'])
    const after = lines(changed['test/a.test.js'])
    const differing = lines(files['test/a.test.js']).flatMap((line, index) => (line === after[index] ? [] : [after[index]]))
    expect(differing).toEqual([expect.stringContaining(expected)])
  })

  test('TINKER-21 does either where both are right', async () => {
    expect((await changedBy(PRICE, right('both', 'label has two decimals'))).summary).toMatch(/all 3 tests pass$/)
  })

  test.for<[string, Ruling | undefined]>([
    ['without a word', undefined],
    ['with a word on another test', right('code', 'label of cents')],
  ])('TINKER-22 leaves both sides of a disagreement alone %s', async ([, ruling]) => {
    const { summary, changed } = await changedBy(PRICE, ruling)
    expect(summary).toMatch(/^nothing helped/)
    expect(changed).toEqual({})
  })

  test('TINKER-22 does not change the code where that is right, though a small edit would do', async () => {
    const files: Files = {
      'src/a.js': "export const unit = () => 'KG'\nexport const isLight = (n) => n < 2\n",
      'test/a.test.js': `${HEAD}import { isLight, unit } from '../src/a.js'\nconst wanted = ['k', 'g'].join('')\ntest('unit', () => assert.equal(unit(), wanted))\ntest('light', () => assert.equal(isLight(1), true))\n`,
    }
    const { changed } = await changedBy(files, right('code', 'unit'))
    expect(changed).toEqual({})
  })

  test.skipIf(!existsSync('/usr/bin/python3'))('TINKER-20 TINKER-21 works on Python as well', async () => {
    const files: Files = {
      'shop.py':
        'def find(users, key):\n    return next((u for u in users if u["id"] == key), None)\n\n\ndef token(user):\n    return {"userId": user["id"], "name": user["name"]}\n\n\ndef owner(users, tok):\n    return find(users, tok["userId"])\n',
      'test_shop.py':
        'import unittest\nfrom shop import owner, token\n\nUSERS = [{"id": "7", "name": "ada"}, {"id": "k-7", "name": "kim"}]\n\n\nclass TokenTest(unittest.TestCase):\n    def test_numeric(self):\n        self.assertEqual(token(USERS[0])["userId"], 7)\n\n    def test_old(self):\n        self.assertEqual(token(USERS[1])["userId"], "k-7")\n\n    def test_owner(self):\n        self.assertEqual(owner(USERS, token(USERS[0]))["name"], "ada")\n',
    }
    const check = ['/usr/bin/python3', '-m', 'unittest']
    const name = 'test_shop.TokenTest.test_numeric'
    const inCode = await changedBy(files, right('test', name), check)
    expect(inCode.summary).toMatch(/all 3 tests pass$/)
    expect(Object.keys(inCode.changed)).toEqual(['shop.py'])
    const inTest = await changedBy(files, right('code', name), check)
    expect(inTest.changed).toEqual({ 'test_shop.py': files['test_shop.py']?.replace('"userId"], 7)', '"userId"], "7")') })
  })
})
