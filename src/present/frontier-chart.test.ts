import { expect, it } from 'vitest'
import type { BacktestRow } from '../evidence/backtest/backtest.ts'
import { frontierChart } from './backtest-page.ts'

function row(policy: string, avoided: number, lost: number, change: Partial<BacktestRow> = {}): BacktestRow {
  const counts = {} as BacktestRow['counts']
  const none = { avoidedInterval: null, lostInterval: null, costUsdSaved: null, guards: [] }
  return { policy, dataset: 'given', kind: 'attempts', avoided, lost, counts, ...none, ...change }
}

/** The class of each point by the policies at it. */
function points(chart: string): Readonly<Record<string, string>> {
  const found = chart.matchAll(/aria-label="([^":]*):[^"]*"><title>.*\n.*\n<circle class="(\w+)"/g)
  return Object.fromEntries([...found].map(([, name = '', kind = '']) => [name, kind]))
}

it('BACK-53 policies at the same place are one point, and all of them are on the frontier if the place is', () => {
  const chart = frontierChart([row('first', 0.4, 0.01), row('twin', 0.4, 0.01), row('under', 0.2, 0.01), row('idle', 0, 0)])
  expect(points(chart)).toEqual({ 'first, twin': 'on', under: 'off', idle: 'on' })
  // The best are drawn last: nothing covers them.
  expect(chart.lastIndexOf('class="off"', chart.indexOf('<figcaption'))).toBeLessThan(chart.indexOf('class="on"'))
})

it('BACK-54 no whisker leaves the chart, however wide its interval', () => {
  const wide = { avoidedInterval: [0.05, 0.97] as const, lostInterval: [0, 0.62] as const }
  const chart = frontierChart([row('wide', 0.3, 0.02, wide), row('narrow', 0.2, 0.01)])
  const [, path = ''] =
    /class="range" d="([^"]*)"\/>\n<circle class="on"/.exec(chart.slice(chart.indexOf('aria-label="wide'))) ?? []
  const ends = [...path.matchAll(/[MVH]\s*([\d.]+)(?: ([\d.]+))?/g)].flat().map(Number).filter(Number.isFinite)
  const largest = [...chart.matchAll(/class="grid" d="M([\d.]+) [\d.]+V/g)].map(([, place]) => Number(place)).at(-1)
  expect(ends.length).toBeGreaterThan(8)
  expect(Math.max(...ends)).toBeLessThan(largest ?? 0)
  expect(chart).not.toContain('small losses have more room')
  const crowd = Array.from({ length: 6 }, (_, index) => row(`policy ${index}`, index / 10, index / 1000))
  expect(frontierChart([...crowd, row('far', 0.7, 0.3)])).toContain('small losses have more room')
})

it('BACK-41 a long list of policies at one place is shortened in the label and whole in the title', () => {
  const chart = frontierChart(['a', 'b', 'c', 'd', 'e'].map((name) => row(name, 0.3, 0.02)))
  expect(chart).toMatch(/<text class="label"[^>]*>a, b and 3 more</)
  expect(chart).toContain('<title>a, b, c, d, e: avoids 30.0%')
})
