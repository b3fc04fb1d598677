import { expect, test } from 'vitest'
import { instantFromEpoch, resetTime } from './reset-time.ts'

const NOW = Date.parse('2026-11-16T12:30:00Z')
const iso = (instant: number | undefined) => instant && new Date(instant).toISOString().replace('.000Z', 'Z')

test.each([
  ['Claude AI usage limit reached|1794837600', '2026-11-16T14:00:00Z'],
  ['{"type":"usage_limit_reached","plan_type":"plus","resets_at":1794837600,"resets_in_seconds":13872}', '2026-11-16T14:00:00Z'],
  ['"resetsAt":1794837600000', '2026-11-16T14:00:00Z'],
  ['Usage limit reached, resets at 2026-11-16T15:00:00Z', '2026-11-16T15:00:00Z'],
  ['retry at 2026-11-16 16:00:00+01:00', '2026-11-16T15:00:00Z'],
  ["You've hit your session limit · resets 3pm (UTC)", '2026-11-16T15:01:00Z'],
  ["You've hit your session limit · resets 3:50pm (Asia/Tokyo)", '2026-11-17T06:51:00Z'],
  ["You've hit your limit · resets 12am (UTC)", '2026-11-17T00:01:00Z'],
  ["You've hit your limit · resets 11:20am (America/Los_Angeles)", '2026-11-16T19:21:00Z'],
  ['Weekly limit reached ∙ resets Nov 20, 10am (Europe/Berlin)', '2026-11-20T09:01:00Z'],
  ['limit reached, resets Jan 3 at 10am (UTC)', '2027-01-03T10:01:00Z'],
  ["You've hit your usage limit. … or try again at Jan 1st, 2027 12:57 AM UTC.", '2027-01-01T00:58:00Z'],
  ['Claude usage limit reached. Your limit will reset at 1pm (Etc/GMT+5)', '2026-11-16T18:01:00Z'],
  ["You've hit your usage limit. Upgrade to Pro or try again in 2 days 17 hours 14 minutes.", '2026-11-19T05:44:00Z'],
  ['Please try again in 20s. Visit the dashboard.', '2026-11-16T12:30:20Z'],
  ['Your quota will reset after 19h38m12s.', '2026-11-17T08:08:12Z'],
  ['"retryDelay": "37s"', '2026-11-16T12:30:37Z'],
  ['retry-after: 90', '2026-11-16T12:31:30Z'],
])('AGENT-12 a reset time is read: %s', (text, expected) => {
  expect(iso(resetTime(text, NOW))).toBe(expected)
})

test('AGENT-12 a time of day that has just gone by is not put off until tomorrow', () => {
  expect(iso(resetTime('resets 12:25pm (UTC)', NOW))).toBe('2026-11-16T12:31:00Z')
  expect(iso(resetTime('resets 12:05pm (UTC)', NOW))).toBe('2026-11-17T12:06:00Z')
})

test.each([
  // Codex leaves the seconds out: 20 s from 10:39:45 is at 10:40:05, and 5 s from 10:40:02 is within a minute that has begun.
  ['2026-11-16T10:39:45Z', '2026-11-16T10:41:00Z'],
  ['2026-11-16T10:40:02Z', '2026-11-16T10:41:00Z'],
  ['2026-11-16T10:40:59Z', '2026-11-16T10:41:00Z'],
  ['2026-11-16T10:41:00Z', '2026-11-16T10:42:00Z'],
  ['2026-11-16T10:44:10Z', '2026-11-16T10:45:10Z'],
])('AGENT-15 at %s a limit until 10:40 AM is over at %s, and never before its minute is', (now, expected) => {
  const said = "You've hit your usage limit. Visit the settings or try again at 10:40 AM UTC."
  expect(iso(resetTime(said, Date.parse(now)))).toBe(expected)
  const dated = "You've hit your usage limit. Try again at Nov 16th, 2026 10:40 AM UTC."
  expect(iso(resetTime(dated, Date.parse(now)))).toBe(expected)
})

test('AGENT-12 the change from summer time is kept in mind', () => {
  const october = Date.parse('2026-10-24T20:00:00Z')
  expect(iso(resetTime('resets 10am (Europe/Berlin)', october))).toBe('2026-10-25T09:01:00Z')
})

test.each([
  '',
  'rate limit',
  'usage limit reached',
  'resets 3',
  'resets at 25:00',
  'it resets 7 counters',
  'try again in a while',
  'Claude AI usage limit reached|1000000000',
  'resets Foo 3, 10am',
])('AGENT-12 nothing is read where no time stands: %s', (text) => {
  expect(resetTime(text, NOW)).toBeUndefined()
})

test('AGENT-12 distinguishes seconds and milliseconds since the epoch', () => {
  expect(instantFromEpoch(1_794_837_600)).toBe(1_794_837_600_000)
  expect(instantFromEpoch(1_794_837_600_000)).toBe(1_794_837_600_000)
})
