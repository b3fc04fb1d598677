import type { BacktestRow } from '../evidence/backtest/backtest.ts'
import type { LoopKind } from '../evidence/backtest/recorded-loop.ts'
import { counted, money, thousands } from '../core/wording.ts'
import type { BacktestDocument } from './backtest-lines.ts'
import {
  beyondMaximumWords,
  inSampleWords,
  interval,
  loopWords,
  percent,
  problemsLeft,
  READING,
  skippedWords,
} from './backtest-lines.ts'
import { chartPoints, escaped, frontierChart } from './frontier-chart.ts'

/** One page with nothing to load: for each kind and dataset the frontier as a chart with a table under it, and what was left out. */
export function backtestPage(document: BacktestDocument): string {
  const { results, policies, loops, sources } = document
  const kinds = [...Map.groupBy(results, ({ kind }) => kind)]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pawl backtest: ${escaped(counted(loops, 'loop'))}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<h1>Backtest</h1>
<p class="lead">${counted(loops, 'loop')} replayed under ${policies.length === 1 ? 'one policy' : `${policies.length} policies`}, from ${escaped(sources.join(', '))}.</p>
<p>${escaped(READING)}</p>
<nav>${kinds.map(([kind]) => `<a href="#${kind}">${kind}</a>`).join('')}<a href="#policies">policies</a></nav>
${leftOut(document)}${beyondMaximum(document)}${inSample(document)}
${kinds.map(([kind, rows]) => kindSection(kind, rows)).join('\n')}
<section>
<h2 id="policies">Policies</h2>
<dl>${policies.map(policyEntry).join('\n')}</dl>
</section>
</body>
</html>`
}

function leftOut({ skipped }: BacktestDocument): string {
  const told = skippedWords(skipped)
  if (told.length === 0) return ''
  const left = problemsLeft(skipped)
  const places = [...skipped.problems, ...(left === 0 ? [] : [`and ${thousands(left)} more`])]
  const list = places.length === 0 ? '' : `<ul>${places.map((problem) => `<li>${escaped(problem)}</li>`).join('')}</ul>`
  return `<div class="warning"><b>Left out.</b> ${escaped(told.join(' '))}${list}</div>\n`
}

function beyondMaximum({ beyondMaximum: loops }: BacktestDocument): string {
  return beyondMaximumWords(loops)
    .map((words) => `<p>${escaped(words)}</p>\n`)
    .join('')
}

function inSample({ inSample: found }: BacktestDocument): string {
  return found === null ? '' : `<div class="warning"><b>In-sample.</b> ${escaped(inSampleWords(found))}</div>`
}

/** A kind with several datasets begins with all of them together. */
function kindSection(kind: LoopKind, rows: readonly BacktestRow[]): string {
  const groups = [...Map.groupBy(rows, ({ dataset }) => dataset)]
  const isAlone = groups.length === 1
  const parts = groups.map(([dataset, ofDataset]) => {
    const name = dataset ?? 'all datasets together'
    const words = `<small>${escaped(loopWords(ofDataset))}</small>`
    return `${isAlone ? `<p>${escaped(name)}: ${words}</p>` : `<h3>${escaped(name)} ${words}</h3>`}
${frontierChart(ofDataset)}
${policyTable(ofDataset)}`
  })
  return `<section>
<h2 id="${kind}">${kind} <small>${KINDS[kind]}</small></h2>
${parts.join('\n')}
</section>`
}

const KINDS: Readonly<Record<LoopKind, string>> = {
  attempts: 'each iteration tries the whole task',
  turns: 'each iteration is one action and what came back',
  steps: 'the single calls of a long session',
  optimize: 'each iteration tries for a better number',
}

function policyEntry({ name, about = '', guards, unexercised = [] }: BacktestDocument['policies'][number]): string {
  const notes = unexercised.length === 0 ? '' : ` Not exercised by recorded loops: ${unexercised.join(' ')}`
  return `<dt><b>${escaped(name)}</b> ${escaped(guards.join(', '))}</dt><dd>${escaped(`${about}${notes}`)}</dd>`
}

/** The figures of the policies of one kind and dataset; those on the frontier are marked as in the chart. */
function policyTable(rows: readonly BacktestRow[]): string {
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

/** How the page of a backtest looks: by the reader's own choice of light or dark, and on paper. */
const PAGE_STYLE = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #60646c; --line: #d9dce0; --paper: #ffffff; --card: #f7f8f9; --best: #18794e; --other: #8b8d98; --note: #ad5700; font: 15px/1.5 system-ui, sans-serif }
@media (prefers-color-scheme: dark) { :root { --ink: #edeef0; --soft: #b0b4ba; --line: #363a3f; --paper: #111113; --card: #18191b; --best: #3dd68c; --other: #8f929a; --note: #ffa057 } }
body { max-width: 70rem; margin: 2rem auto 4rem; padding: 0 1rem; color: var(--ink); background: var(--paper) }
h1 { margin: 0 0 .25rem; font-size: 1.8rem }
h2 { margin: 3rem 0 .5rem; padding-top: .75rem; border-top: 2px solid var(--line); font-size: 1.35rem }
h3 { margin: 2rem 0 .25rem; font-size: 1.05rem }
h2 small, h3 small { font-weight: normal; color: var(--soft) }
a { color: inherit }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 1rem 0 }
.lead, .note, .hint, dd, td small { color: var(--soft) }
.warning { margin: .75rem 0; padding: .5rem .75rem; border-left: 4px solid var(--note); background: var(--card) }
.warning ul { margin: .25rem 0 0; padding-left: 1.25rem; color: var(--soft); overflow-wrap: anywhere }
figure { margin: .75rem 0; padding: .75rem; border: 1px solid var(--line); border-radius: 8px; background: var(--card) }
figure { overflow-x: auto }
figure > svg { display: block; width: 100%; min-width: 40rem; height: auto }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin-top: .5rem; font-size: .87rem }
.legend svg { vertical-align: -2px }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; font-variant-numeric: tabular-nums }
th, td { padding: .3rem .75rem; text-align: right; vertical-align: top; border-bottom: 1px solid var(--line); white-space: nowrap }
th { font-weight: 600; font-size: .87rem; vertical-align: bottom; white-space: normal }
th small { display: block; font-weight: normal; color: var(--soft) }
th:first-child, td:first-child, th:last-child, td:last-child { text-align: left }
td:last-child { white-space: normal; min-width: 14rem }
td small { display: block }
tbody tr:hover { background: var(--card) }
.best { color: var(--best) }
dt { margin-top: .6rem }
dd { margin: 0 0 0 1rem }
svg text { font: 12px system-ui, sans-serif; fill: var(--soft) }
svg .title { font-size: 13px; fill: var(--ink) }
svg .axis { stroke: var(--soft); fill: none }
svg .grid { stroke: var(--line); fill: none }
svg .hull { stroke: var(--best); stroke-width: 2; fill: none }
svg .onwards { stroke-width: 1; stroke-dasharray: 4 4 }
svg .range { stroke: var(--other); opacity: .45; fill: none }
svg .label { fill: var(--ink); paint-order: stroke; stroke: var(--card); stroke-width: 3px; stroke-linejoin: round; pointer-events: none }
svg .leader { stroke: var(--soft); opacity: .6; stroke-width: .7; pointer-events: none }
svg .on { fill: var(--best) }
svg .off { fill: var(--other) }
svg .on, svg .off { stroke: var(--card); stroke-width: 1.5 }
svg .point { outline: none; cursor: default }
svg .point:hover .range, svg .point:focus .range { stroke: var(--ink); opacity: 1 }
svg .point:hover circle, svg .point:focus circle { stroke: var(--ink); stroke-width: 2 }
svg .readout { visibility: hidden; font-size: 13px; font-weight: 600; fill: var(--ink) }
svg .point:hover .readout, svg .point:focus .readout { visibility: visible }
@media print { body { max-width: none } figure, tr { break-inside: avoid } .hint, nav { display: none } }`
