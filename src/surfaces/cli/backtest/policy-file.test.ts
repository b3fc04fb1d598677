import { describe, expect, it } from 'vitest'
import { policyFrom } from '../../../evidence/backtest/policy.ts'
import { parsePolicy } from './policy-file.ts'

function problemOf(text: string): string {
  try {
    parsePolicy(text, 'mine.yaml')
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

/** What is wrong with these settings of `own`. */
function own(inner: string): string {
  return problemOf(`name: x\nguards:\n  worth_continuing: { own: ${inner}, severity: trip }\n`)
}

describe('parsePolicy', () => {
  it('BACK-28 a policy has a name and the guards that it names, as pawl.yaml has them, and no others', () => {
    const policy = parsePolicy(
      'name: mine\nabout: My own.\nmax_iterations: 6\nbudget_usd: 2\nguards:\n  same_failure: { repeats_min: 4, severity: trip }\n  no_progress: ladder\n  thrashing: off\n',
      'mine.yaml',
    )
    expect(policy).toMatchObject({
      name: 'mine',
      about: 'My own.',
      guards: [
        { name: 'maxIterations', settings: { iterationsMax: 6 } },
        { name: 'budget', settings: { costUsdMax: 2 } },
        { name: 'sameFailure', severity: 'trip', settings: { repeatsMin: 4 } },
        { name: 'ladder', parts: [{ name: 'noProgress' }] },
      ],
    })
    expect(policyFrom(policy).guards.map(({ spec }) => spec)).toEqual(policy.guards)
  })

  it('BACK-29 reports everything wrong in it with its place', () => {
    expect(problemOf('name: x\nguards:\n  same_failre: trip\n  thrashing: { times_min: 1 }\n')).toBe(
      [
        'mine.yaml:3:3: unknown key "same_failre"; did you mean "same_failure"?',
        'mine.yaml:4:27: "times_min" must be a whole number of at least 2, not 1',
      ].join('\n'),
    )
    expect(problemOf('guards: { same_failure: trip }\n')).toMatch(/^mine\.yaml:1:1: "name" is missing/)
    expect(problemOf('name: [\n')).toMatch(/^mine\.yaml:\d+:\d+: this is not YAML/)
    expect(problemOf('- a\n')).toMatch(/^mine\.yaml:1:1: /)
    const bomb = Array.from({ length: 12 }, (_, level) => `a${level}: &a${level} [${`*a${level - 1},`.repeat(9)}]`).join('\n')
    expect(problemOf(`a: &a-1 [x]\n${bomb}`)).toMatch(/^mine\.yaml:1:1: this cannot be read as YAML/)
  })

  it('BACK-29 what is wrong deep inside a guard lists what is allowed there', () => {
    expect(own('{ attempts: { loops: 40, shift: abc } }')).toBe(
      'mine.yaml:3:60: "shift" must be a number such as 0.3, not the text "abc"',
    )
    expect(own('{ atempts: { loops: 40, shift: 1 } }')).toBe('mine.yaml:3:30: unknown key "atempts"; did you mean "attempts"?')
    expect(own('{ foo: 1 }')).toBe('mine.yaml:3:30: unknown key "foo"; there are attempts, turns')
    expect(own('{ turns: { loops: 40, shift: 1, foo: 1 } }')).toContain('unknown key "foo"; there are loops, shift')
  })

  it.each(['', '\n\n', '# mine\n', '---\n'])('BACK-47 an empty file (%j) is reported as empty, with what to write', (text) => {
    expect(problemOf(text)).toBe(
      'mine.yaml:1:1: the file is empty: write a name and what ends a loop, such as "name: mine", and below it "guards: { same_failure: trip }"',
    )
    expect(problemOf('name: mine\nguards: { same_failure: trip }\n')).toBe('')
  })

  it('BACK-29 a policy in which nothing decides is refused: it would never end anything', () => {
    expect(problemOf('name: x\nguards: { same_failure: warn }\n')).toContain('nothing decides in this policy')
    expect(problemOf('name: x\n')).toContain('nothing decides in this policy')
    expect(problemOf('name: x\nmax_iterations: 3\n')).toBe('')
  })
})
