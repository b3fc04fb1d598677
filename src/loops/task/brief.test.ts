import { describe, expect, it } from 'vitest'
import type { Failure } from '../../core/failure.ts'
import { maxIterations } from '../../guards/index.ts'
import type { RunConfig } from '../../core/run-config.ts'
import { openIteration, type State } from '../../core/state.ts'
import { configOf, type IterationGiven, stateAfter } from '../../testing/state-builder.ts'
import { taskBrief } from './brief.ts'
import { wholeSettings } from './settings.ts'

const settings = wholeSettings({ goal: 'The sum is right' })
const config: RunConfig = {
  ...configOf([maxIterations(5).spec]),
  checks: [
    { name: 'command', v: 1, settings: { name: 'tests', command: ['npm', 'test'] } },
    { name: 'review', v: 1, settings: { name: 'review', review: 'person' } },
  ],
}

/** The state in which the next iteration has begun. */
function before(iterations: readonly IterationGiven[], change: Partial<State> = {}): State {
  const state = stateAfter(iterations, change.config ?? config)
  return { ...state, current: openIteration(iterations.length + 1, state.seq, state.totals), ...change }
}

function failure(id: string, more: Partial<Failure> = {}): Failure {
  return { id, message: `${id} is wrong`, kind: 'assertion', ...more }
}

describe('a brief', () => {
  it('TASK-120 says all that matters and nothing else, in this order', () => {
    const state = before(
      [
        { failures: ['adds', 'rounds'], files: ['src/sum.ts'], said: 'Added the numbers.' },
        {
          failures: ['adds', failure('prints', { message: 'off by one', file: 'src/print.test.ts', line: 4 })],
          files: ['src/sum.ts'],
        },
      ],
      { config: { ...config, protect: ['test/**'] }, notes: ['Look at rounding.', 'First line\nsecond line'] },
    )
    expect(taskBrief(settings, state)).toMatchInlineSnapshot(`
      "# Goal
      The sum is right

      # Where this stands
      This is attempt 3 of at most 5. After the last one: 1 fixed, 1 new, 1 still failing.

      # What fails now
      - [new] prints (src/print.test.ts:4): off by one
      - adds: adds is wrong

      # Tried before, and helped in part
      - Attempt 2 changed src/sum.ts: it fixed "rounds" and broke "prints", 2 fail now

      # Tried before, and did not help
      - Attempt 1 changed src/sum.ts (said: Added the numbers.): 2 failures

      # A person said
      - Look at rounding.
      - First line
        second line

      # Take care
      - Fixing one thing broke another: iteration 2 fixed "rounds" and broke "prints". These must pass together: "rounds", "prints". Find one change that serves all of them before you edit anything.

      # Do not change
      - \`test/**\`
      - \`pawl.yaml\`
      - \`.pawl/\`

      # How your work is checked
      - tests: \`npm test\`
      - review: a person reviews what passes the rest
      "
    `)
  })

  it('TASK-121 of the first attempt is short', () => {
    expect(taskBrief(settings, before([]))).toMatchInlineSnapshot(`
      "# Goal
      The sum is right

      # Where this stands
      This is attempt 1 of at most 5.

      # How your work is checked
      - tests: \`npm test\`
      - review: a person reviews what passes the rest
      "
    `)
  })

  it('TASK-122 with a plan names the task, what it is for, what is done, and counts the attempts at it', () => {
    const items = ['One', 'Two', 'Three'].map((goal) => ({ id: goal.toLowerCase(), goal }))
    const state = before([{ failures: ['a'] }], {
      slices: { plan: { items, index: 1 } },
      unit: { id: 'two', index: 1, count: 3, firstIteration: 2 },
    })
    expect(taskBrief({ ...settings, goal: 'Two' }, state)).toContain(
      '# Goal\nTask 2 of 3: Two\nIt is part of: given\nAlready done, and to be kept working: One.\n\n# Where this stands\nThis is attempt 1 of at most 5 at this task.',
    )
  })

  it.each<[string, readonly IterationGiven[], string]>([
    ['the same failure', [{ failures: ['a'] }, { failures: ['a'] }], 'did not touch the cause'],
    ['back and forth', [{ failures: ['a'] }, { failures: ['b'] }, { failures: ['a'] }], 'These must pass together: "a", "b".'],
    ['nothing changed', [1, 2].map(() => ({ failures: ['a'], files: [] })), 'You left every file as it was.'],
  ])('TASK-123 tells the agent the pattern and what follows from it: %s', (_name, iterations, words) => {
    expect(taskBrief(settings, before(iterations))).toMatch(new RegExp(`# Take care\\n- .*${words.replaceAll('.', '\\.')}`))
  })

  it('TASK-123 does not say twice what a guard or a person said', () => {
    const nudge = {
      guard: 'sameFailure',
      severity: 'warn',
      message: 'The same failure 2 iterations in a row.',
      evidence: { facts: [], measures: {} },
      hint: 'Try something else.',
    } as const
    const warned = taskBrief(settings, before([{ failures: ['a'] }, { failures: ['a'] }], { nudges: [nudge] }))
    expect(warned).toContain('# Take care\n- The same failure 2 iterations in a row. Try something else.\n\n')
    const mismatch = failure('id', { expected: '1', received: '"1"' })
    const settled = before([{ failures: [mismatch] }], {
      notes: ['In "id" the code is right: change the test.'],
      guidance: [
        {
          note: 'In "id" the code is right: change the test.',
          settles: 'format:id',
          ruling: { test: 'id', right: 'code', wanted: '1', given: '"1"' },
        },
      ],
    })
    expect(taskBrief(settings, settled)).not.toContain('# Take care')
  })

  it('TASK-124 of an agent that itself failed does not lecture it', () => {
    expect(taskBrief(settings, before([1, 2].map(() => ({ failures: ['a'], agentFailed: 'x' }))))).not.toContain('# Take care')
  })

  it("TASK-126 says what the agent's own rules denied it", () => {
    const denied = {
      calls: 1,
      message: '1 call of claude was denied in permission mode edit: Bash npm install.',
      fix: 'Allow it.',
    }
    const brief = taskBrief(settings, before([{ failures: ['adds'], files: [], said: 'I could not.', denied }]))
    expect(brief).toContain(`- Attempt 1 changed nothing (said: I could not.): 1 failure; ${denied.message}\n`)
    expect(brief, 'that is for a person').not.toContain('Allow it.')
  })

  it('TASK-125 says that all checks pass already, when they do', () => {
    const verdict = { passed: true, score: 1, failing: 0 }
    const state = before([], { baseline: { verdict, tree: 't', failures: [] } })
    expect(taskBrief(settings, state)).toContain('# What fails now\nNothing: all checks pass already.')
    const unit = { id: 'b', index: 1, count: 2, firstIteration: 2 }
    const checks = [{ name: 'command', v: 1, settings: { name: 'npm run e2e' } }]
    const later = taskBrief(settings, { ...state, unit, config: { ...state.config, checks } })
    expect(later).toContain('# What fails now\nNothing that has run. Not run yet: `npm run e2e`.')
  })
})
