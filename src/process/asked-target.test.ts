import { expect, test } from 'vitest'
import { askedTarget } from './asked-target.ts'

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
