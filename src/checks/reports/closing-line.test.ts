import { expect, test } from 'vitest'
import { fixture } from '../../../test/support/report-fixture.ts'
import { closingLine } from './closing-line.ts'

test('REPORT-3 rspec', () => {
  const text = `Failures:

  1) Login returns a numeric userId
     Failure/Error: expect(user_id).to eq(42)

       expected: 42
            got: "42"

     # ./spec/login_spec.rb:5:in 'block (2 levels)'

Finished in 0.01 seconds (files took 0.1 seconds to load)
3 examples, 1 failure, 1 pending

Failed examples:

rspec ./spec/login_spec.rb:4 # Login returns a numeric userId
`
  expect(closingLine(text)).toMatchObject({
    format: 'rspec',
    counts: { passed: 1, failed: 1, skipped: 1 },
    failures: [
      {
        id: 'Login returns a numeric userId',
        kind: 'assertion',
        file: 'spec/login_spec.rb',
        line: 4,
        expected: '42',
        received: '"42"',
      },
    ],
  })
})

test('REPORT-4 passes are read as passes', () => {
  const names = [
    'vitest-text-5',
    'vitest-text-3',
    'node-text-24',
    'jest-text-30',
    'mocha-text-12-spec',
    'mocha-text-12-dot',
    'pytest-text-9',
  ]
  for (const name of names) {
    const report = closingLine(fixture(`${name}-passed`))
    expect(report).toMatchObject({ counts: { passed: 1, failed: 0, skipped: 0 }, failures: [] })
    expect(report?.trouble).toBeUndefined()
  }
})

test('REPORT-4 a later success never hides a failure, of the same runner or of another', () => {
  const both = `${fixture('vitest-text-5-failed')}\n${fixture('vitest-text-5-passed')}\n${fixture('pytest-text-9-passed')}`
  expect(closingLine(both)).toMatchObject({ format: 'vitest+pytest', counts: { passed: 4, failed: 10, skipped: 3 } })
})

test('REPORT-4 if two runners use one id, the later one gets another', () => {
  const report = closingLine(`${fixture('node-text-24-failed')}\n${fixture('mocha-text-12-spec-failed')}`)
  const ids = report?.failures.map((failure) => failure.id) ?? []
  expect(ids).toContain('reads the config (mocha)')
  expect(new Set(ids).size).toBe(ids.length)
})

test('REPORT-4 text without a closing line is left to others', () => {
  for (const text of ['', '3 failed', 'Tests are fine', fixture('tsc-7-failed'), fixture('vitest-text-5-no-tests')]) {
    expect(closingLine(text)).toBeUndefined()
  }
})
