import { expect, test } from 'vitest'
import { budget } from '../guards/index.ts'
import { parseCeilings, parseConfig } from './parse-config.ts'
import { budgetLimits, configuredGuards, guardNames } from './configured-guards.ts'
import type { GuardSpec } from '../core/run-config.ts'
import { PawlError } from '../core/pawl-error.ts'

const specs = (text: string): readonly GuardSpec[] =>
  configuredGuards(parseConfig(`guards: ${text}\n`, 'pawl.yaml').guards).map((guard) => guard.spec)
const key = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** What is wrong, without the place. */
function complaint(text: string): string {
  try {
    parseConfig(`guards: ${text}\n`, 'pawl.yaml')
    return ''
  } catch (error) {
    if (!(error instanceof PawlError)) throw error
    return error.message.replace(/^pawl\.yaml:\d+:\d+: /, '')
  }
}

test.each(guardNames.filter((name) => name !== 'deadline'))(
  'GUARD-70 %s can be left out, made to warn, to decide, or to warn first, with one word',
  (name) => {
    expect(specs(`{ ${key(name)}: off }`).map((spec) => spec.name)).not.toContain(name)
    for (const severity of ['warn', 'trip']) {
      expect(specs(`{ ${key(name)}: ${severity} }`).find((spec) => spec.name === name)?.severity).toBe(severity)
    }
    const steps = specs(`{ ${key(name)}: ladder }`).find((spec) => spec.name === 'ladder')
    expect(steps).toMatchObject({ severity: 'trip', settings: { patience: 2 }, parts: [{ name }] })
  },
)

test('GUARD-70 every setting of every guard reaches it', () => {
  const text = `
  circuit_breaker: { failures_max: 7 }
  same_failure: { repeats_min: 7 }
  thrashing: { times_min: 7 }
  no_progress: { iterations_min: 7 }
  oscillation: { turns_min: 7, over: [actions] }
  stalled_diff: { repeats_min: 7, similarity_min: 0.5, lines_differing_max: 0, by: characters }
  empty_iterations: { iterations_min: 7 }
  spinning_text: { iterations_min: 7 }
  repeated_action: { repeats_min: 7 }
  iteration_budget: { cost_usd_max: 7, tokens_max: 70, messages_max: 700 }
  idle: { quiet_ms_max: 7m }
  quality_regression: { severity: trip }
  tampering: { allow: [skipped] }
  worth_continuing: { give_up_a_success_at_most_once_in: 7, own: { attempts: { loops: 40, shift: 0.3 } } }
  deadline: { until: 2030-01-01T18:00Z }`
  expect(specs(`\n${text}`).map(({ name, settings }) => [name, settings])).toEqual([
    ['circuitBreaker', { failuresMax: 7 }],
    ['tampering', { allow: ['skipped'] }],
    ['sameFailure', { repeatsMin: 7 }],
    ['thrashing', { timesMin: 7 }],
    ['noProgress', { iterationsMin: 7 }],
    ['oscillation', { turnsMin: 7, over: ['actions'] }],
    ['stalledDiff', { repeatsMin: 7, similarityMin: 0.5, linesDifferingMax: 0, by: 'characters' }],
    ['emptyIterations', { iterationsMin: 7 }],
    ['spinningText', { iterationsMin: 7 }],
    ['repeatedAction', { repeatsMin: 7 }],
    ['qualityRegression', {}],
    ['worthContinuing', { giveUpASuccessAtMostOnceIn: 7, own: { attempts: { loops: 40, shift: 0.3 } } }],
    ['iterationBudget', { costUsdMax: 7, tokensMax: 70, messagesMax: 700 }],
    ['idle', { quietMsMax: 420_000 }],
    ['deadline', { until: Date.UTC(2030, 0, 1, 18) }],
  ])
})

test('GUARD-71 a ladder keeps the settings of its guard and takes its own patience', () => {
  const steps = specs('{ same_failure: { repeats_min: 2, severity: ladder, patience: 5 } }').find(
    (spec) => spec.name === 'ladder',
  )
  expect(steps).toMatchObject({ settings: { patience: 5 }, parts: [{ name: 'sameFailure', settings: { repeatsMin: 2 } }] })
})

test.each([
  ['{ thrashing: { patience: 3 } }', '"patience" is for a ladder only: add severity: ladder, or take it out.'],
  ['{ deadline: { until: tomorrow } }', '"until" must be an instant with its zone, such as 2030-01-01T18:00Z'],
  ['{ deadline: 2030-01-01T18:00 }', 'must be an instant with its zone'],
  ['{ deadline: trip }', '"until" is missing'],
  ['{ stalled_diff: { by: words } }', '"by" must be lines or characters, not the text "words"'],
  ['{ oscillation: { over: [] } }', '"over" must be a list such as [trees, failures], not an empty list'],
  ['{ trashing: off }', 'unknown key "trashing"; did you mean "thrashing"?'],
])('GUARD-72 %s is refused with what is right', (text, sentence) => {
  expect(complaint(text)).toContain(sentence)
})

test('GUARD-72 a deadline may be the bare instant', () => {
  expect(specs('{ deadline: 2030-01-01T19:00:00+01:00 }').at(-1)?.settings).toEqual({ until: Date.UTC(2030, 0, 1, 18) })
})

test('LIMIT-27 a deadline may be a time after the start, and waiting and ceilings have keys of their own', () => {
  expect(specs('{ deadline: 6h }').at(-1)?.settings).toEqual({ afterMs: 6 * 3_600_000 })
  expect(specs('{ deadline: { after_ms: 90m, severity: warn } }').at(-1)).toMatchObject({ severity: 'warn' })
  const text = 'max_wait: 2h\nceilings: { day_usd: 20, month_tokens: 1000000 }\n'
  const config = parseConfig(text, 'pawl.yaml')
  expect(config).toMatchObject({ maxWaitMs: 7_200_000, ceilings: { dayUsd: 20, monthTokens: 1_000_000 } })
  expect(budget(budgetLimits(config)).spec.settings).toMatchObject({ waitMsMax: 7_200_000 })
  expect(parseCeilings('day_usd: 5\n', 'ceilings.yaml')).toEqual({ dayUsd: 5 })
  expect(() => parseCeilings('day_usd: 5\nweek_usd: 3\n', 'ceilings.yaml')).toThrow('ceilings.yaml:2:1: ')
  expect(() => parseConfig('ceilings: { day_usd: -1 }', 'pawl.yaml')).toThrow('pawl.yaml:1:')
})
