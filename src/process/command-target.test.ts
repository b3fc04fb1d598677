import { expect, test } from 'vitest'
import { absentTarget, askedTarget } from './command-target.ts'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/process-support.ts'

test.each([
  ['npm run lint', 'lint'],
  ['npm -s run lint -- --fix', 'lint'],
  ['npm test', 'test'],
  ['npm t', 'test'],
  ['npm run test:unit -- -w 1', 'test:unit'],
  ['/usr/bin/pnpm run lint', 'lint'],
  ['yarn test', 'test'],
  ['bun run lint', 'lint'],
  ['node tests/run.js a b', 'tests/run.js'],
  ['node --test --experimental-strip-types a.test.ts', 'a.test.ts'],
  ['python3.12 -u run.py', 'run.py'],
  ['bash -eux run.sh', 'run.sh'],
])('CHECK-64 %s asks for %s', (command, name) => {
  expect(askedTarget(command.split(' '))?.name).toBe(name)
})

test.each([
  'npm tset',
  'npm ci',
  'npm run',
  'npm run lint -w packages/a',
  'npm --prefix sub test',
  'npm run lint --if-present',
  'pnpm vitest',
  'pnpm run /^build:/',
  'yarn run global:script',
  'bun test',
  'node',
  'node -e 1',
  'node -r ./a.js b.js',
  'node --test tests/*.js',
  'python3 -m unittest',
  'sh -c true',
  'vitest run',
])('CHECK-65 what %j asks for cannot be looked up', (command) => {
  expect(askedTarget(command.split(' '))).toBeUndefined()
})

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

const PACKAGE = JSON.stringify({ scripts: { test: 'x', lint: 'y' } })

test.each([
  ['npm run tset', { 'package.json': PACKAGE }, 'package.json has no script "tset"; did you mean "test"?'],
  ['npm run verify', { 'package.json': PACKAGE }, 'package.json has no script "verify"; it has test, lint.'],
  ['npm test', { 'package.json': '{}' }, 'package.json has no script "test"; it has no scripts at all.'],
  ['node tests/rnu.js', { 'tests/run.js': '' }, 'There is no file tests/rnu.js; did you mean tests/run.js?'],
  ['python3 run.py', {}, 'There is no file run.py.'],
  ['sh ./run.sh', {}, 'There is no file ./run.sh.'],
])('CHECK-64 %s: names what is missing, with a near name', async (command, files, message) => {
  expect((await absentTarget(command.split(' '), folderWith(files)))?.message).toBe(message)
})

test.each([
  ['npm test', { 'package.json': PACKAGE }],
  ['npm test', { 'package.json': '{' }],
  ['pnpm test', { 'package.yaml': 'scripts: {}' }],
  ['yarn run tool', { 'package.json': PACKAGE, 'node_modules/.bin/tool': '' }],
  ['bun run run.ts', { 'package.json': PACKAGE, 'run.ts': '' }],
  ['bun run ls', { 'package.json': PACKAGE }],
  ['node run', { 'run.js': '' }],
  ['node app', { 'app/index.js': '' }],
  ['sh ls', {}],
])('CHECK-65 %s may well run', async (command, files) => {
  expect(await absentTarget(command.split(' '), folderWith(files))).toBeUndefined()
})

test('CHECK-64 a script of the package above is there', async () => {
  const folder = folderWith({ 'package.json': PACKAGE, 'src/a.js': '' })
  expect(await absentTarget(['npm', 'test'], join(folder, 'src'))).toBeUndefined()
})
