import { describe, expect, it, onTestFailed } from 'vitest'
import { attempt, isInstalled } from './attempt.ts'
import { WORK } from './honest-work.ts'

describe('HONEST work is believed, or asked about once', () => {
  for (const [name, project, work, expected, options] of WORK)
    it.skipIf(!isInstalled(project))(`${name}: ${expected}`, async () => {
      const isDone = expected === 'red-to-green' || expected === 'self-tested'
      const outcome = await attempt(project, work, options)
      onTestFailed(() => console.error(outcome.message))
      expect(outcome).toMatchObject(
        isDone ? { status: 'completed', level: expected } : { status: 'escalated', question: expected },
      )
    })
})
