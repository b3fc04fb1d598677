import { expect, test } from 'vitest'
import type { CheckRequest, CheckResult } from './check.ts'
import { contentPattern, type ContentPatternOptions } from './content-pattern.ts'

async function check(
  options: Partial<ContentPatternOptions>,
  texts: Partial<CheckRequest>,
  signal = new AbortController().signal,
): Promise<CheckResult> {
  const context = { signal, started: async () => {}, progress: () => {} }
  const whole = { name: 'words', pattern: 'done', ...options }
  return contentPattern(whole).run({ run: 'r', iteration: 1, cwd: '.', tree: 't', ...texts }, context)
}

test.each<[Partial<ContentPatternOptions>, Partial<CheckRequest>, string]>([
  [{}, { agentOutput: 'all is done' }, 'passed'],
  [{}, { agentOutput: 'nothing' }, 'failed'],
  [{}, {}, 'failed'],
  [{ mustMatch: false }, { agentOutput: 'nothing' }, 'passed'],
  [{ mustMatch: false }, {}, 'passed'],
  [{ mustMatch: false }, { agentOutput: 'done' }, 'failed'],
  [{ pattern: '^done$', flags: 'im' }, { agentOutput: 'so\nDONE\n' }, 'passed'],
  [{ target: 'task_notes' }, { notes: 'done', agentOutput: '' }, 'passed'],
  [{ target: 'task_notes' }, { notes: '', agentOutput: 'done' }, 'failed'],
  [
    { target: 'work_product_latest', pattern: '^\\+.*TODO', flags: 'm', mustMatch: false },
    { workProduct: '+x // TODO\n' },
    'failed',
  ],
  [
    { target: 'work_product_latest', pattern: '^\\+.*TODO', flags: 'm', mustMatch: false },
    { workProduct: '-x // TODO\n' },
    'passed',
  ],
])('CHECK-42 a pattern %j on %j has %s', async (options, texts, status) => {
  expect((await check(options, texts)).status).toBe(status)
})

test('CHECK-42 what was looked for and where is said in the failure', async () => {
  expect(await check({ mustMatch: false, target: 'work_product_latest', pattern: 'x+' }, { workProduct: 'xx' })).toEqual({
    status: 'failed',
    failures: [{ id: 'words', kind: 'unknown', message: '/x+/ is found in what the agent changed, where it must not be.' }],
  })
})

test('CHECK-42 it asks for the text it looks at and for no other', () => {
  expect(contentPattern({ name: 'n', pattern: 'x' }).needs).toEqual(['agentOutput'])
  expect(contentPattern({ name: 'n', pattern: 'x', target: 'work_product_latest' }).needs).toEqual(['workProduct'])
})

test('CHECK-43 a pattern that tries more ways than there is time for is ended and says nothing about the work', async () => {
  const result = await check({ pattern: '^(a+)+$', timeoutMs: 300 }, { agentOutput: `${'a'.repeat(60)}b` })
  expect(result).toMatchObject({
    status: 'errored',
    fault: 'config',
    message: expect.stringContaining('was not done within 0.3 s'),
  })
})

test('CHECK-43 a search that is interrupted is ended too', async () => {
  const end = new AbortController()
  const result = check({ pattern: '^(a+)+$', timeoutMs: 60_000 }, { agentOutput: `${'a'.repeat(60)}b` }, end.signal)
  setTimeout(() => end.abort(), 50)
  expect(await result).toEqual({ status: 'aborted' })
})

test.each<[Partial<Record<keyof ContentPatternOptions, unknown>>, string]>([
  [{ pattern: '(' }, 'pattern must be a regular expression (Invalid regular expression'],
  [{ pattern: '' }, 'pattern must be'],
  [{ flags: 'g' }, 'flags must be some of i, m, s, u, not "g"'],
  [{ target: 'files' }, 'target must be one of agent_output, task_notes, work_product_latest, not "files"'],
  [{ mustMatch: 'yes' }, 'mustMatch must be true or false, not "yes"'],
  [{ name: 'a\nb' }, 'name must be one line of text'],
])('CHECK-42 %j cannot work and is refused', (options, words) => {
  expect(() => contentPattern({ name: 'n', pattern: 'x', ...options } as ContentPatternOptions)).toThrow(words)
})
