import { expect, test } from 'vitest'
import { ladder, maxIterations, sameFailure, thrashing } from '../../guards/index.ts'
import { guardFlags, withGuardFlags } from './guard-flags.ts'

test('GUARD-73 --guard takes a name in any style and what pawl.yaml takes, the later before the earlier', () => {
  expect(guardFlags(['thrashing=trip', 'same-failure=off', 'stalledDiff={ similarity_min: 0.9 }', 'thrashing = warn'])).toEqual({
    thrashing: { severity: 'warn' },
    sameFailure: 'off',
    stalledDiff: { similarityMin: 0.9 },
  })
  expect(guardFlags(['deadline=2030-01-01T18:00Z'])).toEqual({ deadline: { until: Date.UTC(2030, 0, 1, 18) } })
  expect(guardFlags()).toEqual({})
})

test.each([
  ['thrashing', '--guard takes NAME=VALUE such as thrashing=trip or same_failure=off, not "thrashing".'],
  ['thrashing=', '--guard takes NAME=VALUE'],
  ['trashing=off', '--guard trashing=off: unknown key "trashing"; did you mean "thrashing"?'],
  ['thrashing=stop', '--guard thrashing=stop: "thrashing" must be a map such as'],
  ['thrashing={ times_min: 1 }', 'must be a whole number of at least 2, not 1'],
  ['thrashing=off\nagent: x', '--guard takes NAME=VALUE'],
])('GUARD-73 --guard %j is refused with what is right', (text, sentence) => {
  expect(() => guardFlags([text])).toThrow(sentence)
})

test('GUARD-74 on a run that exists --guard replaces, adds and leaves out, and touches nothing else', () => {
  const recorded = [maxIterations(9), ladder(sameFailure()), thrashing()].map((guard) => guard.spec)
  const names = (texts: readonly string[]) =>
    withGuardFlags(recorded, texts).map((spec) => `${spec.name} ${spec.parts?.[0]?.name ?? spec.severity}`)
  expect(withGuardFlags(recorded, undefined)).toEqual(recorded)
  expect(names(['thrashing=off'])).toEqual(['maxIterations trip', 'ladder sameFailure'])
  expect(names(['same_failure=trip'])).toEqual(['maxIterations trip', 'sameFailure trip', 'thrashing warn'])
  expect(names(['thrashing=ladder', 'no_progress=warn'])).toEqual([
    'maxIterations trip',
    'ladder sameFailure',
    'ladder thrashing',
    'noProgress warn',
  ])
})
