import { Command } from 'commander'
import { expect, test } from 'vitest'
import { problemQuestion } from '../../loops/shared/questions.ts'
import type { Problem, State } from '../../core/state.ts'
import { configOf, stateAfter } from '../../testing/state-builder.ts'
import { drivingCommands } from './driving-commands.ts'

const PROBLEM: Problem = { seq: 1, key: 'k', code: 'check', check: 'tests', fault: 'config', message: 'npm: not found' }

/** The flags that a question about a problem names. */
function flagsNamed(change: Partial<State['config']>): readonly string[] {
  const state = stateAfter([{ failures: [] }], { ...configOf([]), ...change })
  return (
    problemQuestion(state, PROBLEM)
      .steps?.join(' ')
      .match(/--[a-z-]+/g) ?? []
  )
}

test('CLI-486 the question about a problem names only flags that `pawl resume` has', async () => {
  const entry = drivingCommands.find(({ usage }) => usage.startsWith('resume'))
  const command = new Command()
  await entry?.options?.(command)
  const known = command.options.map(({ long }) => long)
  const loop = { name: 'research', v: 1, settings: {} }
  const reviewers = ['tests', 'other'].map((name) => ({
    checks: [{ name: 'review', v: 1, settings: { name, review: 'agent' } }],
  }))
  for (const change of [{}, { loop }, ...reviewers]) {
    const named = flagsNamed(change)
    expect(named.length).toBeGreaterThan(1)
    expect(known).toEqual(expect.arrayContaining([...named]))
  }
  expect(flagsNamed({})).toContain('--agent-command')
})
