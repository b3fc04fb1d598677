import { spawn } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { processAround } from './process-around.ts'
import { currentProcessIdentity, identityOf } from './process-identity.ts'
import { lineageOf } from './process-table.ts'
import { PLAIN_ENVIRONMENT } from '../../test/support/process-support.ts'

function parentIdentity() {
  const parent = identityOf(process.ppid)
  if (!parent) throw new Error('the parent of this process cannot be seen')
  return parent
}

test('PROC-34 a process works for itself and for those it descends from, and for nobody else', () => {
  const child = spawn('sleep', ['30'], { env: PLAIN_ENVIRONMENT, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const other = identityOf(child.pid ?? 0)
  if (!other) throw new Error('the child cannot be seen')
  const [self, parent] = [currentProcessIdentity(), parentIdentity()]
  expect(processAround([other, self])).toBe(self)
  expect(processAround([other, parent])).toBe(parent)
  expect(processAround([other])).toBeUndefined()
  expect(processAround([])).toBeUndefined()
})

test('PROC-34 one that is not the recorded process any more, or of another host, is nobody to work for', () => {
  const parent = parentIdentity()
  expect(processAround([{ ...parent, startedAt: `${parent.startedAt}0` }])).toBeUndefined()
  expect(processAround([{ ...parent, host: 'another-host' }])).toBeUndefined()
})

test('PROC-34 a lineage begins with the process and goes up from parent to parent', () => {
  const lineage = lineageOf(process.pid)
  expect(lineage[0]?.pid).toBe(process.pid)
  expect(lineage[1]?.pid).toBe(process.ppid)
  expect(lineage.slice(1).map(({ pid }) => pid)).toEqual(lineage.slice(0, -1).map(({ parent }) => parent))
  expect(lineageOf(2 ** 30)).toEqual([])
})
