import { describe, expect, it } from 'vitest'
import { sidesOf } from './sides.ts'

/** The reasons why files are on the test side, of those that changed. */
async function reasons(files: Readonly<Record<string, string>>, changed: readonly string[], command = 'node --test') {
  const sides = await sidesOf({
    paths: Object.keys(files),
    commands: [command],
    globs: [],
    changed,
    read: async (path) => files[path],
  })
  return changed.map((path) => sides.reasonFor(path))
}

describe('PROOF-2 a file that is named like a helper', () => {
  const helper = { 'lib/expect.js': 'export function equal(l, r) {\n  if (l !== r) throw new Error()\n}\n', 'src/add.js': '' }

  it('belongs to the tests if they use it to test something else', async () => {
    const test = "import { equal } from '../lib/expect.js'\nimport { add } from '../src/add.js'\n"
    expect(await reasons({ ...helper, 'test/add.test.js': test }, ['lib/expect.js'])).toEqual(['set-up'])
  })

  it('is the work if a test is about it alone', async () => {
    const test = "import { equal } from '../lib/expect.js'\n"
    expect(await reasons({ ...helper, 'test/equality.test.js': test }, ['lib/expect.js'])).toEqual([undefined])
  })

  it('is the work if a test that imports it has its name', async () => {
    const test = "import { equal } from '../lib/expect.js'\nimport { add } from '../src/add.js'\n"
    expect(await reasons({ ...helper, 'test/expect.test.js': test }, ['lib/expect.js'])).toEqual([undefined])
    const python = { 'helpers.py': 'def same(a, b):\n    assert a == b\n', 'sums.py': '' }
    const imports = 'from helpers import same\nfrom sums import add\n'
    expect(await reasons({ ...python, 'tests/test_helpers.py': imports }, ['helpers.py'])).toEqual([undefined])
    expect(await reasons({ ...python, 'tests/test_sums.py': imports }, ['helpers.py'])).toEqual(['set-up'])
  })

  it('is the work if other code uses it', async () => {
    const code = { ...helper, 'src/add.js': "import { equal } from '../lib/expect.js'\n" }
    const test = "import { equal } from '../lib/expect.js'\nimport { add } from '../src/add.js'\n"
    expect(await reasons({ ...code, 'test/add.test.js': test }, ['lib/expect.js'])).toEqual([undefined])
  })
})

describe('PROOF-2 code in a folder named fixtures', () => {
  const code = {
    'src/fixtures/next.js': 'export const next = 1\n',
    'test/next.test.js': "import { next } from '../src/index.js'\n",
  }

  it('is the work if other code imports it', async () => {
    const index = { 'src/index.js': "export { next } from './fixtures/next.js'\n" }
    expect(await reasons({ ...code, ...index }, ['src/fixtures/next.js'])).toEqual([undefined])
    const test = { 'test/helpers.js': "export { next } from '../src/fixtures/next.js'\n" }
    expect(await reasons({ ...code, ...test }, ['src/fixtures/next.js'])).toEqual(['test'])
  })
})

describe('PROOF-2 a script that a check runs', () => {
  const command = 'node scripts/prices.js && node --test'

  it('is the work if it writes data and starts and asserts nothing', async () => {
    const script = "if (!apple) throw new Error('no apple')\nwriteFileSync('prices.json', '{}')\n"
    expect(await reasons({ 'scripts/prices.js': script }, ['scripts/prices.js'], command)).toEqual([undefined])
    const checks = "if (!apple) throw new Error('no apple')\n"
    expect(await reasons({ 'scripts/prices.js': checks }, ['scripts/prices.js'], command)).toEqual(['script'])
  })
})

describe('PROOF-2 a folder named spec', () => {
  const test = { 'test/parse.test.js': "import { parse } from '../src/spec/parse.js'\nreadFileSync('spec/api.json')\n" }

  it('is the work if it holds no tests', async () => {
    expect(await reasons({ ...test, 'src/spec/parse.js': 'export const parse = 1\n' }, ['src/spec/parse.js'])).toEqual([
      undefined,
    ])
  })

  it('belongs to the tests if a file in it has the name or the content of a test', async () => {
    expect(await reasons({ 'spec/add.spec.js': '', 'spec/data/one.json': '1' }, ['spec/data/one.json'])).toEqual(['test'])
    expect(await reasons({ 'spec/add.js': "describe('add', () => {})\n", 'spec/one.rb': '' }, ['spec/one.rb'])).toEqual(['test'])
  })

  it('has data of the tests if no code reads it', async () => {
    const code = { 'src/api.js': "readFileSync('spec/api.json')\n" }
    expect(await reasons({ ...test, ...code, 'spec/api.json': '{}' }, ['spec/api.json'])).toEqual([undefined])
    expect(await reasons({ ...test, 'spec/api.json': '{}' }, ['spec/api.json'])).toEqual(['set-up'])
  })
})

describe('PROOF-2 a script that a check runs', () => {
  const command = 'node scripts/migrate.js && node --test'

  it('is the work if it makes something and cannot fail', async () => {
    const text = "import { writeFileSync } from 'node:fs'\nwriteFileSync('build/schema.json', '{}')\n"
    expect(await reasons({ 'scripts/migrate.js': text }, ['scripts/migrate.js'], command)).toEqual([undefined])
  })

  it('belongs to the tests if it says that something failed, or runs what does', async () => {
    for (const text of [
      'if (bad) process.exit(1)\n',
      "import { spawnSync } from 'node:child_process'\n",
      "throw new Error('bad')\n",
    ])
      expect(await reasons({ 'scripts/migrate.js': text }, ['scripts/migrate.js'], command)).toEqual(['script'])
    expect(await reasons({ 'scripts/check.js': '' }, ['scripts/check.js'], 'node scripts/check.js')).toEqual(['script'])
  })
})

async function isLint(command: string): Promise<boolean> {
  const scripts = { lint: 'eslint . && prettier --check .', test: 'eslint . && node --test' }
  const files: Readonly<Record<string, string>> = { 'package.json': JSON.stringify({ scripts }) }
  const sides = await sidesOf({ paths: ['package.json'], commands: [command], globs: [], read: async (path) => files[path] })
  return sides.isLint(command)
}

describe('PROOF-2 a check that only lints', () => {
  it.each([
    'npx eslint src test',
    'npm run lint',
    'CI=1 python3 -m ruff check .',
    'node_modules/.bin/prettier --check .',
    'cargo clippy',
  ])('is %s', async (command) => expect(await isLint(command)).toBe(true))

  it.each(['npm test', 'node --test', 'npx tsc --noEmit', 'npx eslint . ; node check.js', 'sh lint.sh'])(
    'is not %s',
    async (command) => expect(await isLint(command)).toBe(false),
  )
})

describe('PROOF-2 tests in C', () => {
  it('are named as in other languages', async () => {
    const files = { 'tests.c': '', 'test_add.c': '', 'add_test.c': '', 'add.c': '' }
    expect(await reasons(files, Object.keys(files), 'make test')).toEqual(['test', 'test', 'test', undefined])
  })
})

describe('PROOF-42 a shell file that a test sources', () => {
  it.each([
    ['. ./lib.sh', 'lib.sh'],
    ['source "$(dirname "$0")/lib.sh"', 'lib.sh'],
    ['. scripts/lib.sh', 'scripts/lib.sh'],
  ])('is the work if it defines functions: %s', async (line, path) => {
    const files = { 'test.sh': `set -e\n${line}\n[ "$(sum 1 2)" = 3 ] || exit 1\n`, [path]: 'sum() { echo $(($1 - $2)); }\n' }
    expect(await reasons(files, [path, 'test.sh'], 'sh test.sh')).toEqual([undefined, 'script'])
  })

  it.each([
    'assert_equal() { [ "$1" = "$2" ] || exit 1; }\n',
    'same() { diff "$1" "$2" || exit 1; }\n',
    '[ "$(sh sum.sh 1 2)" = 3 ] || exit 1\n',
  ])('belongs to the tests if it tests: %s', async (text) => {
    expect(await reasons({ 'test.sh': '. ./lib.sh\n', 'lib.sh': text }, ['lib.sh'], 'sh test.sh')).toEqual(['script'])
  })
})

describe('PROOF-44 scripts that a check runs through others', () => {
  const compare = '[ "$(sh sum.sh 1 2)" = 3 ] || exit 1\n'
  const script = JSON.stringify({ scripts: { ok: 'sh go.sh' } })
  const code = { 'sum.sh': 'echo $(($1 - $2))\n', 'back/sum.sh': 'echo $(($1 - $2))\n', 'bits/sum.sh': '' }

  it.each<[command: string, path: string, files: Readonly<Record<string, string>>]>([
    ['sh all.sh', 'go.sh', { 'all.sh': 'sh go.sh\n' }],
    ['sh all.sh', 'go.sh', { 'all.sh': 'exec sh ./go.sh "$@"\n' }],
    ['sh all.sh', 'go.sh', { 'all.sh': '#!/bin/sh\nset -e\nsh "$(dirname "$0")/go.sh"\n' }],
    ['sh all.sh', 'go.sh', { 'all.sh': 'sh mid.sh || exit 1\n', 'mid.sh': './go.sh\n' }],
    ['sh bits/all.sh', 'bits/go.sh', { 'bits/all.sh': 'HERE=$(cd "$(dirname "$0")" && pwd)\nsh "$HERE/go.sh"\n' }],
    ['sh all.sh', 'back/go.sh', { 'all.sh': 'cd back\nsh go.sh\n' }],
    ['sh all.sh', 'back/go.sh', { 'all.sh': '(cd back && sh go.sh)\n' }],
    ['cd back; sh go.sh', 'back/go.sh', {}],
    ['(cd back && ./go.sh)', 'back/go.sh', {}],
    ['env -C back sh go.sh', 'back/go.sh', {}],
    ['sh < go.sh', 'go.sh', {}],
    ['make -C back ok', 'back/go.sh', { 'back/Makefile': 'ok:\n\tsh go.sh\n' }],
    ['make ok', 'back/go.sh', { Makefile: 'ok:\n\t$(MAKE) -C back ok\n', 'back/Makefile': 'ok:\n\tsh go.sh\n' }],
    ['make ok', 'bits/go.sh', { Makefile: 'BITS := bits\nok:\n\tsh $(BITS)/go.sh\n' }],
    ['make ok', 'go.sh', { Makefile: 'ok:\n\tsh $(CURDIR)/go.sh\n' }],
    ['npm --prefix back run ok', 'back/go.sh', { 'back/package.json': script }],
    ['npm run ok --workspace back', 'back/go.sh', { 'back/package.json': script }],
    ['npm run -w back ok', 'back/go.sh', { 'back/package.json': script }],
  ])('belong to the tests: %s, %s %j', async (command, path, files) => {
    const all = { ...code, ...files, [path]: compare }
    const programs = Object.keys(code)
    expect(await reasons(all, [path, ...programs], command)).toEqual(['script', ...programs.map(() => undefined)])
  })

  it.each<[command: string, path: string, files: Readonly<Record<string, string>>]>([
    [
      'python3 -m tools.ok',
      'tools/ok.py',
      { 'tools/ok.py': 'from app import add\nif add(1, 2) != 3:\n    raise ValueError()\n' },
    ],
    [
      'node tools',
      'tools/index.js',
      { 'tools/index.js': "const { add } = require('../src/lib.js')\nif (!add) throw new Error()\n" },
    ],
    [
      'node tools/go.js',
      'tools/part.js',
      {
        'tools/go.js': "require('./part.js')\n",
        'tools/part.js': "const { add } = require('../src/lib.js')\nif (add(1, 2) !== 3) throw new Error()\n",
      },
    ],
    [
      'node scripts/verify.mjs',
      'scripts/verify-sums.mjs',
      {
        'scripts/verify.mjs': "import './verify-sums.mjs'\n",
        'scripts/verify-sums.mjs': "import lib from '../src/lib.js'\nif (lib.add(1, 2) !== 3) throw new Error()\n",
      },
    ],
  ])('belong to the tests in other languages: %s', async (command, path, files) => {
    const all = { ...files, 'app.py': '', 'src/lib.js': '' }
    expect(await reasons(all, [path, 'app.py', 'src/lib.js'], command)).toEqual(['script', undefined, undefined])
  })

  it.each<[command: string, path: string, files: Readonly<Record<string, string>>]>([
    [
      'make',
      'add.c',
      { Makefile: 'all:\n\tgcc -Wall -c add.c -o add.o\n', 'add.c': 'int add(int a, int b) { return a - b; }\n' },
    ],
    ['g++ -c src/add.cpp', 'src/add.cpp', { 'src/add.cpp': 'int add(int a, int b) { return a - b; }\n' }],
    ['sh test.sh', 'sum.sh', { 'test.sh': 'sh sum.sh\n', 'sum.sh': '[ $# -eq 2 ] || exit 2\necho $(($1 + $2))\n' }],
    ['sh test.sh', 'app.sh', { 'test.sh': 'set -e\nsh app.sh\ndiff out.txt want.txt\n', 'app.sh': '[ -f sum.sh ] || exit 1\n' }],
    ['sh test.sh', 'app.sh', { 'test.sh': 'sh app.sh 1 2 || exit 1\n', 'app.sh': '[ "$(sh sum.sh)" = 3 ] || exit 1\n' }],
    ['sh test.sh', 'app.sh', { 'test.sh': 'out=$(sh app.sh)\n[ "$out" = 3 ]\n', 'app.sh': 'sh sum.sh || exit 1\n' }],
    ['sh test.sh', 'app.sh', { 'test.sh': 'sh app.sh | grep -q 3\n', 'app.sh': '[ -f sum.sh ] || exit 1\n' }],
    ['node app', 'app/index.js', { 'app/index.js': "require('./x.js')\n", 'app/x.js': '' }],
    ['python3 -m app.cli', 'app/cli.py', { 'app/cli.py': 'import sys\nsys.exit(1)\n' }],
    ['pnpm -w test', 'test.js', { 'back/a.js': '', 'test.js': '' }],
  ])('are the work if they are what is checked: %s, %s', async (command, path, files) => {
    expect(await reasons({ ...code, ...files }, [path], command)).toEqual([path === 'test.js' ? 'test' : undefined])
  })
})

it.each([
  ['cd backend && python3 -m pytest', 'backend/pytest.py', 'set-up'],
  ['cd backend && python3 -m unittest', 'backend/unittest/__init__.py', 'set-up'],
  ['PYTHONPATH=lib python3 -m unittest discover -s tests', 'lib/sitecustomize.py', 'set-up'],
  ['PYTHONPATH=$PWD/lib:other pytest', 'lib/decimal.py', 'set-up'],
  ['PYTHONPATH=lib pytest', 'lib/calendar.py', undefined],
  ['PYTHONPATH=lib pytest', 'lib/shop.py', undefined],
  ['cd backend && python3 -m pytest', 'backend/api/types.py', undefined],
  ['cd backend && npm test', 'backend/types.py', undefined],
])('PROOF-45 with %s, a new %s', async (command, path, reason) => {
  const files: Readonly<Record<string, string>> = { 'tests/test_a.py': 'from decimal import Decimal\n', 'backend/app.py': '' }
  const paths = [...Object.keys(files), path]
  const sides = await sidesOf({ paths, commands: [command], globs: [], changed: [path], read: async (each) => files[each] })
  expect(sides.reasonFor(path)).toBe(reason)
})
