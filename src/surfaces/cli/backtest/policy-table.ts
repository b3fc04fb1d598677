import type { BacktestRow } from '../../../evidence/backtest/backtest.ts'
import { money, thousands } from '../../../core/wording.ts'
import { interval, percent } from '../../../present/backtest-lines.ts'
import { chartPoints } from './chart-points.ts'
import { escaped } from './html-text.ts'

/** The figures of the policies of one kind and dataset; those on the frontier are marked as in the chart. */
export function policyTable(rows: readonly BacktestRow[]): string {
  const best = new Set(chartPoints(rows).points.flatMap(({ isBest, policies }) => (isBest ? policies : [])))
  const hasCost = rows.some(({ costUsdSaved }) => costUsdSaved !== null)
  const counts = rows[0]?.counts
  const titles = [
    'policy',
    'avoided',
    'lost',
    withSmall('iterations avoided', `of ${thousands(counts?.iterationsFailed ?? 0)}`),
    withSmall('successes lost', `of ${thousands(counts?.solved ?? 0)}`),
    ...(hasCost ? [withSmall('saved', `of ${money(counts?.costUsdFailed ?? 0)}`)] : []),
    withSmall('loops ended by', 'iteration: times'),
  ]
  return `<div class="scroll"><table>
<thead><tr>${titles.map((title) => `<th scope="col">${title}</th>`).join('')}</tr></thead>
<tbody>
${rows.map((row) => tableRow(row, best.has(row.policy), hasCost)).join('\n')}
</tbody>
</table></div>`
}

function tableRow(row: BacktestRow, isBest: boolean, hasCost: boolean): string {
  const { policy, avoided, avoidedInterval, lost, lostInterval, counts, costUsdSaved, guards } = row
  const cells = [
    `${isBest ? '<span class="best" title="on the frontier">●</span> ' : ''}${escaped(policy)}`,
    withSmall(percent(avoided), interval(avoidedInterval)),
    withSmall(percent(lost), interval(lostInterval)),
    thousands(counts.iterationsAvoided),
    thousands(counts.successesLost),
    ...(hasCost ? [costUsdSaved === null ? '' : money(costUsdSaved)] : []),
    guards.map(guardWords).join('') || '<small>none</small>',
  ]
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
}

function withSmall(words: string, small: string): string {
  return small === '' ? words : `${words} <small>${small}</small>`
}

function guardWords({ guard, stops, byIteration }: BacktestRow['guards'][number]): string {
  const places = Object.entries(byIteration).map(([iteration, times]) => `${iteration}: ${thousands(times)}`)
  return `<div>${escaped(guard)} ${thousands(stops)} <small>${places.join(', ')}</small></div>`
}
