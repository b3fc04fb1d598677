import type { BacktestRow } from '../../../core/backtest/backtest.ts'
import { money } from '../../../core/wording.ts'
import type { BacktestDocument } from '../commands/backtest.ts'
import { groupTitle, interval, percent } from '../views/backtest-lines.ts'
import { escaped, frontierChart } from './frontier-chart.ts'

/** One page with nothing to load: for each kind and dataset the frontier as a chart, a table, and where guards ended loops. */
export function backtestPage({ results, policies, skipped, loops }: BacktestDocument): string {
  const groups = [...Map.groupBy(results, groupTitle)]
  const left = skipped.malformed + skipped.gaps + skipped.damaged + skipped.withoutIterations
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pawl backtest</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Backtest</h1>
<p>${loops} loops replayed${left === 0 ? '' : `, ${left} left out`}. <b>Avoided</b> is the share of the iterations of failed loops that would not have been done;
<b>lost</b> is the share of solved loops that would have been ended before their success. Intervals: 95 of 100 times, drawn anew by task. Kinds are never put together.</p>
${groups.map(([title, rows]) => section(title, rows)).join('\n')}
<h2>Policies</h2>
<dl>${policies.map(policyEntry).join('\n')}</dl>
</body>
</html>`
}

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif }
body { max-width: 76rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: .5rem 0 1rem }
th, td { padding: .15rem .7rem; text-align: right; border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent) }
th:first-child, td:first-child, td:last-child, th:last-child { text-align: left }
td { white-space: nowrap }
td:last-child { white-space: normal }
td small, dd { opacity: .75 }
svg { max-width: 100%; height: auto }
svg text { font: 12px system-ui, sans-serif; fill: currentColor }
svg .axis, svg .grid { stroke: currentColor; fill: none }
svg .grid { opacity: .15 }
svg .hull { stroke: #2a7; stroke-width: 2; fill: none }
svg .range { stroke: currentColor; opacity: .3 }
svg .label { paint-order: stroke; stroke: Canvas; stroke-width: 3px; stroke-linejoin: round }
svg .leader { stroke: currentColor; opacity: .45; stroke-width: .7 }
svg .on { fill: #2a7 }
svg .off { fill: #888 }`

function section(title: string, rows: readonly BacktestRow[]): string {
  return `<section>
<h2>${escaped(title)}</h2>
${frontierChart(rows)}
<table>
<tr><th>policy</th><th>avoided</th><th>lost</th><th>iterations avoided</th><th>successes lost</th><th>saved</th><th>ended by (iteration: times)</th></tr>
${rows.map(tableRow).join('\n')}
</table>
</section>`
}

function tableRow({ policy, avoided, avoidedInterval, lost, lostInterval, counts, costUsdSaved, guards }: BacktestRow): string {
  const cells = [
    escaped(policy),
    `${percent(avoided)} <small>${interval(avoidedInterval)}</small>`,
    `${percent(lost)} <small>${interval(lostInterval)}</small>`,
    `${counts.iterationsAvoided} of ${counts.iterationsFailed}`,
    `${counts.successesLost} of ${counts.solved}`,
    costUsdSaved === null ? '' : `${money(costUsdSaved)} of ${money(counts.costUsdFailed)}`,
    guards.map(guardWords).join('<br>'),
  ]
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
}

function guardWords({ guard, stops, byIteration }: BacktestRow['guards'][number]): string {
  const places = Object.entries(byIteration).map(([iteration, times]) => `${iteration}: ${times}`)
  return `${escaped(guard)} ${stops} <small>(${places.join(', ')})</small>`
}

function policyEntry({ name, about = '', guards, unexercised = [] }: BacktestDocument['policies'][number]): string {
  const notes = unexercised.length === 0 ? '' : ` Not exercised by recorded loops: ${unexercised.join(' ')}`
  return `<dt><b>${escaped(name)}</b> ${escaped(guards.join(', '))}</dt><dd>${escaped(`${about}${notes}`)}</dd>`
}
