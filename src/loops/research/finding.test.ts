import { expect, it } from 'vitest'
import { comparableClaim } from './finding.ts'

const claim = { subject: 'The session token', attribute: 'lifetime', value: '30', unit: 'minutes' }

it.each([
  ['case and articles', { ...claim, subject: 'session  Token' }],
  ['units of time', { ...claim, value: '1800', unit: 's' }],
  ['a unit inside of the value', { subject: 'Session-token', attribute: 'Lifetime', value: '30 min' }],
])('RES-15 %s do not matter to a claim', (_what, other) => {
  const [one, two] = [comparableClaim(claim), comparableClaim(other)]
  expect([two.key, two.value]).toEqual([one.key, one.value])
})

it('RES-16 another scope is another key, also where only the cited files tell it', () => {
  const database = { subject: 'app', attribute: 'database', value: 'sqlite' }
  const development = comparableClaim(database, [{ file: 'config/appsettings.Development.json' }])
  const production = comparableClaim(database, [{ file: 'config/production.yaml' }])
  const plain = comparableClaim(database, [{ file: 'appsettings.json' }])
  expect(new Set([development.key, production.key, plain.key]).size).toBe(3)
  expect(comparableClaim({ ...database, scope: 'Production' }).key).toBe(production.key)
})
