import { parse } from 'yaml'
import { describe, expect, it } from 'vitest'
import { type PlainValue, setInYaml } from './set-in-yaml.ts'

type Path = readonly [string, ...string[]]

const breaker: Path = ['guards', 'circuit_breaker']
const higher = { failures_max: 8, severity: 'trip' }

describe('setInYaml', () => {
  it.each<[what: string, text: string, path: Path, value: PlainValue, expected: string]>([
    ['an empty file', '', breaker, higher, 'guards:\n  circuit_breaker: { failures_max: 8, severity: trip }\n'],
    ['a file of comments', '# mine', ['max_iterations'], 5, '# mine\nmax_iterations: 5\n'],
    ['a value with a comment behind it', 'max_iterations: 3 # enough\n', ['max_iterations'], 5, 'max_iterations: 5 # enough\n'],
    [
      'a missing key',
      '# mine\nagent: claude # the best\n',
      breaker,
      higher,
      '# mine\nagent: claude # the best\nguards:\n  circuit_breaker: { failures_max: 8, severity: trip }\n',
    ],
    [
      'a guard in a block',
      'guards:\n  # careful\n  circuit_breaker:\n    # four was too few\n    failures_max: 4   # for now\n  thrashing: warn\n',
      breaker,
      higher,
      'guards:\n  # careful\n  circuit_breaker:\n    # four was too few\n    failures_max: 8   # for now\n    severity: trip\n  thrashing: warn\n',
    ],
    [
      'a guard on one line',
      'guards:\n  circuit_breaker: { failures_max: 4 }  # ours\n',
      breaker,
      higher,
      'guards:\n  circuit_breaker: { severity: trip, failures_max: 8 }  # ours\n',
    ],
    [
      'a guard that is a word',
      'guards:\n  circuit_breaker: off # no\n',
      breaker,
      higher,
      'guards:\n  circuit_breaker: { failures_max: 8, severity: trip } # no\n',
    ],
    [
      'another guard beside it',
      'guards:\n    thrashing: trip\nbaseline: true\n',
      breaker,
      'warn',
      'guards:\n    thrashing: trip\n    circuit_breaker: warn\nbaseline: true\n',
    ],
    [
      'a map whose first key has a remark',
      'guards:\n  # keep this remark\n  same_failure: trip # and this\n\n# who works\nagent: claude\n',
      breaker,
      'warn',
      'guards:\n  # keep this remark\n  same_failure: trip # and this\n  circuit_breaker: warn\n\n# who works\nagent: claude\n',
    ],
    [
      'a map whose last key has lines below it',
      'guards:\n  # keep this remark\n  same_failure:\n    # twice\n    repeats_min: 2 # is enough\n\n  # later: thrashing\nagent: claude\n',
      breaker,
      'warn',
      'guards:\n  # keep this remark\n  same_failure:\n    # twice\n    repeats_min: 2 # is enough\n  circuit_breaker: warn\n\n  # later: thrashing\nagent: claude\n',
    ],
    [
      'a file without a last line end',
      '# mine\nagent: claude',
      ['max_iterations'],
      5,
      '# mine\nagent: claude\nmax_iterations: 5\n',
    ],
    [
      'a file that ends with a key alone',
      'agent: claude\ngoal:\n',
      ['max_iterations'],
      5,
      'agent: claude\ngoal:\nmax_iterations: 5\n',
    ],
    [
      'a file that ends with a long text',
      'agent: claude\nprompt: |\n  Go on.\n\n  And on.\n',
      ['max_iterations'],
      5,
      'agent: claude\nprompt: |\n  Go on.\n\n  And on.\nmax_iterations: 5\n',
    ],
    ['guards on one line', 'guards: {thrashing: trip}\n', breaker, 'warn', 'guards: { circuit_breaker: warn, thrashing: trip}\n'],
    ['guards without any', 'guards: {}\n', breaker, 'warn', 'guards: { circuit_breaker: warn }\n'],
    [
      'a key with nothing behind it',
      'guards:\nbaseline: true\n',
      breaker,
      'warn',
      'guards: { circuit_breaker: warn }\nbaseline: true\n',
    ],
  ])('TUNE-3 sets a value in %s and leaves every other character as it was', (_what, text, path, value, expected) => {
    const written = setInYaml(text, path, value)
    expect(written).toBe(expected)
    expect(() => parse(written) as unknown).not.toThrow()
  })
})
