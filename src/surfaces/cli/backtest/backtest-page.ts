import type { BacktestRow } from '../../../evidence/backtest/backtest.ts'
import type { LoopKind } from '../../../evidence/backtest/recorded-loop.ts'
import { counted, thousands } from '../../../core/wording.ts'
import type { BacktestDocument } from '../commands/backtest.ts'
import {
  beyondMaximumWords,
  inSampleWords,
  loopWords,
  problemsLeft,
  READING,
  skippedWords,
} from '../../../present/backtest-lines.ts'
import { frontierChart } from './frontier-chart.ts'
import { escaped } from './html-text.ts'
import { PAGE_STYLE } from './page-style.ts'
import { policyTable } from './policy-table.ts'

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
