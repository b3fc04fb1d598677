import { expect, test } from 'vitest'
import { fixture } from '../../../test/support/report-fixture.ts'
import { githubAnnotations } from './github-annotations.ts'

test.each(['5', '3'])('REPORT-113 annotations of vitest %s: errors are failures by their title', (version) => {
  const report = githubAnnotations(fixture(`vitest-github-${version}-failed`))
  expect(report).toMatchObject({ format: 'github', counts: { passed: 0, failed: 9, skipped: 0 } })
  const failures = new Map(report?.failures.map((failure) => [failure.id, failure]))
  expect(failures.get('login.test.js > login > returns a numeric userId')).toEqual({
    id: 'login.test.js > login > returns a numeric userId',
    kind: 'assertion',
    file: '/project/login.test.js',
    line: 10,
    frame: 'login.test.js:10',
    expected: '42',
    received: expect.stringMatching(/^['"]42['"]$/),
    message: expect.stringContaining("expected '42' to be 42"),
  })
  expect(failures.get('login.test.js > reads the config')).toMatchObject({
    file: '/project/login.js',
    frame: 'deepPort (login.js:11)',
  })
})

test('REPORT-113 annotations: without a title file and message are the id; warnings and other text are no failures', () => {
  expect(githubAnnotations('::error file=a.js,line=3::Bad%3A 100%25%0Amore\n::warning file=b.js::hm\n')).toMatchObject({
    counts: { failed: 1 },
    failures: [{ id: 'a.js > Bad: 100%', file: 'a.js', line: 3, message: 'Bad: 100%\nmore' }],
  })
  expect(githubAnnotations('::warning::x\nsee ::error::y\n::errors are bad\n')).toBeUndefined()
})
