import { afterAll, describe, expect, test } from 'vitest'
import { filesOfCheck, isEditable, isTestFile } from './source-files.ts'
import { temporaryProject } from '../../test/support/temporary-project.ts'

const none: ReadonlySet<string> = new Set()

describe('isEditable', () => {
  test.each([
    ['src/cart.js', true],
    ['src/latest.js', true],
    ['contest/entry.py', true],
    ['test/cart.js', false],
    ['src/__tests__/cart.ts', false],
    ['src/cart.test.js', false],
    ['src/cart.spec.ts', false],
    ['cart_test.go', false],
    ['test_cart.py', false],
    ['src/CartTest.java', false],
    ['tests.py', false],
    ['spec/fixtures/data.js', false],
    ['src/__mocks__/fs.js', false],
    ['vitest.config.ts', false],
    ['conftest.py', false],
    ['types/cart.d.ts', false],
  ])('TINKER-5 %s may be edited: %s', (path, expected) => {
    expect(isEditable(path, none)).toBe(expected)
  })

  test('TINKER-5 configuration is no test, and yet not edited', () => {
    expect(isTestFile('vitest.config.ts')).toBe(false)
  })
})

describe('filesOfCheck', () => {
  const scripts = { test: 'node scripts/run.js && npm run lint', lint: 'node ./tools/lint.mjs', start: 'node src/main.js' }
  const project = temporaryProject({ 'package.json': JSON.stringify({ scripts }) })
  afterAll(() => project.remove())

  test('TINKER-5 what the check runs is not edited, what other scripts run is', () => {
    const files = filesOfCheck(['npm', 'test'], project.folder)
    expect([isEditable('scripts/run.js', files), isEditable('tools/lint.mjs', files)]).toEqual([false, false])
    expect(isEditable('src/main.js', files)).toBe(true)
  })

  test('TINKER-5 what is only compiled is edited', () => {
    const files = filesOfCheck(['/bin/sh', '-c', 'cc -o t max.c && ./t && tsc src/a.ts'], project.folder)
    expect([isEditable('max.c', files), isEditable('src/a.ts', files)]).toEqual([true, true])
  })

  test('TINKER-5 a script that the command names is not edited, also inside a shell line', () => {
    expect(isEditable('check.js', filesOfCheck(['/bin/sh', '-c', 'cd . && node "./check.js"'], project.folder))).toBe(false)
  })
})
