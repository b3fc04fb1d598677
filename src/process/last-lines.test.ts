import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { LastLineReporter } from './last-lines.ts'

test('PROC-11 the first line is reported at once, the last at the end, and those between only now and then', async () => {
  const lines: string[] = []
  const reporter = new LastLineReporter((line) => lines.push(line), 20)
  for (let number = 1; number <= 1000; number++) reporter.push(Buffer.from(`line ${number}\n\n`))
  expect(lines).toEqual(['line 1'])
  await sleep(100)
  expect(lines).toEqual(['line 1', 'line 1000'])
  reporter.push(Buffer.from('line 1001 is not yet'))
  reporter.push(Buffer.from(' ended'))
  reporter.end()
  expect(lines.at(-1)).toBe('line 1001 is not yet ended')
})

test('PROC-11 a silent program and a line that says the same again are not reported', () => {
  const lines: string[] = []
  const reporter = new LastLineReporter((line) => lines.push(line), 1000)
  reporter.push(Buffer.from('\n \n'))
  reporter.push(Buffer.from('same\n'))
  reporter.end()
  reporter.push(Buffer.from('same\n'))
  reporter.end()
  expect(lines).toEqual(['same'])
})
