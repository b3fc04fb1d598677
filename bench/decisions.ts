import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { avoidedAt, backtest, type BacktestRow, frontierOf } from '../src/evidence/backtest/backtest.ts'
import type { Policy } from '../src/evidence/backtest/policy.ts'
import { baselines } from './baselines/index.ts'
import { benchWords } from './bench-words.ts'
import { withMeasured } from './measured-blocks.ts'
import { limitLines } from './odds/limit-lines.ts'
import { oddsReport } from './odds/report.ts'
import { shippedFigures, shippedLines } from './odds/shipped.ts'
import { ownPolicies } from './own-policies.ts'
import { missingLoops, RECORDED_LOOPS, recordedLoops } from './recorded-loops.ts'

/*
 * `npm run bench:decisions [-- FOLDER] [--check | --json]`: every policy on every recorded loop, written into the documents that
 * report them, with their charts. The same loops always give the same figures. `--check` writes nothing and fails if a document
 * says something else.
 *
 * `npm run bench:decisions -- FOLDER --shipped [--json]`: the odds that ship, the defaults and every baseline on any folder of
 * recorded loops. Nothing is fitted and nothing is written, so loops that nobody here has seen can judge what ships.
 */

/** The losses that people may accept. */
const LOSSES = [0.003, 0.01, 0.02, 0.03, 0.04]

const DOCS = join(import.meta.dirname, '..', 'docs')
const DOCUMENT = join(DOCS, 'decision-quality.md')
const GUARD_PAGE = join(DOCS, 'guards', 'worth-continuing.md')

const words = benchWords(process.argv.slice(2), ['--check', '--json', '--shipped'])
const isJson = words.flags.has('--json')
const isCheck = words.flags.has('--check')
const isShipped = words.flags.has('--shipped')
const folder = words.folder ?? RECORDED_LOOPS
const problem = words.problem ?? missingLoops(folder)
if (problem === undefined) await (isShipped ? measureShipped() : measure())
else {
  console.error(problem)
  process.exitCode = 2
}

async function measure(): Promise<void> {
  const policies = [...baselines, ...ownPolicies]
  const tried = backtest(policies)
  const startedAt = performance.now()
  let loops = 0
  for await (const loop of recordedLoops(folder)) {
    tried.add(loop)
    loops++
  }
  const rows = tried.rows()
  const seconds = (performance.now() - startedAt) / 1000
  if (isJson) {
    console.log(JSON.stringify({ loops, seconds, results: rows }))
    return
  }
  const names = new Set(baselines.map(({ name }) => name))
  const theirs = rows.filter(({ policy }) => names.has(policy))
  const { blocks, charts } = await oddsReport(folder, baselines, theirs, (line) => console.error(line))
  const measured = { ...blocks, policies: tables(rows), frontiers: frontiers(rows), notes: notes(policies) }
  const files = [
    { path: DOCUMENT, text: withMeasured(readFileSync(DOCUMENT, 'utf8'), measured) },
    { path: GUARD_PAGE, text: withMeasured(readFileSync(GUARD_PAGE, 'utf8'), { limits: limitLines() }) },
    ...charts.map(({ kind, svg }) => ({ path: join(DOCS, 'charts', `odds-${kind}.svg`), text: svg })),
  ]
  for (const { path, text } of files) {
    if (readFileSync(path, 'utf8') === text) continue
    if (isCheck) process.exitCode = 1
    else writeFileSync(path, text)
    console.log(`${relative(process.cwd(), path)}: ${isCheck ? 'says something else than was measured' : 'written'}`)
  }
  console.log([...blocks.aims, '', timeLine(loops, policies, seconds)].join('\n'))
}

async function measureShipped(): Promise<void> {
  const startedAt = performance.now()
  const figures = await shippedFigures(folder)
  const seconds = (performance.now() - startedAt) / 1000
  if (isJson) console.log(JSON.stringify({ seconds, ...figures }))
  else console.log(shippedLines(figures).join('\n'))
}

function tables(rows: readonly BacktestRow[]): readonly string[] {
  return [...Map.groupBy(rows, titleOf)].flatMap(([title, group]) => [
    `### ${title}`,
    '',
    '| policy | avoided | 95% | lost | 95% | saved |',
    '|---|--:|---|--:|---|--:|',
    ...group.map(rowLine),
    '',
  ])
}

function titleOf({ kind, dataset, counts }: BacktestRow): string {
  return `${kind}, ${dataset ?? 'all datasets'} (${counts.loops} loops, ${counts.tasks} tasks, ${counts.solved} solved, ${counts.failed} failed)`
}

function rowLine({ policy, avoided, avoidedInterval, lost, lostInterval, costUsdSaved }: BacktestRow): string {
  const cells = [policy, percent(avoided), bounds(avoidedInterval), percent(lost), bounds(lostInterval), dollars(costUsdSaved)]
  return `| ${cells.join(' | ')} |`
}

/** What the baselines can do together, and what we can, at the losses that people may accept. */
function frontiers(rows: readonly BacktestRow[]): readonly string[] {
  const names = new Set(baselines.map(({ name }) => name))
  const groups = [...Map.groupBy(rows, titleOf)].flatMap(([title, group]) => {
    const points = group.flatMap(({ policy, avoided, lost }) =>
      avoided === null || lost === null ? [] : [{ policy, avoided, lost }],
    )
    if (points.length === 0) return []
    const theirs = frontierOf(points.filter(({ policy }) => names.has(policy)))
    const ours = frontierOf(points.filter(({ policy }) => !names.has(policy)))
    const cells = LOSSES.map((loss) => `${percent(avoidedAt(theirs, loss))} / ${percent(avoidedAt(ours, loss))}`)
    return [`| ${title.replace(/ \(.*/, '')} | ${cells.join(' | ')} |`]
  })
  const head = LOSSES.map((loss) => `at ${percent(loss)} lost`)
  return [`| kind, dataset | ${head.join(' | ')} |`, `|---|${LOSSES.map(() => '--:').join('|')}|`, ...groups, '']
}

function notes(policies: readonly Policy[]): readonly string[] {
  const told = policies.map(({ name, about = '', unexercised = [] }) => {
    const missingRules = unexercised.length === 0 ? '' : ` Not exercised by these loops: ${unexercised.join(' ')}`
    return `- **${name}**: ${about}${missingRules}`
  })
  return told
}

function timeLine(loops: number, policies: readonly Policy[], seconds: number): string {
  return `${loops} loops under ${policies.length} policies in ${seconds.toFixed(1)} s.`
}

function percent(share: number | null): string {
  return share === null ? '–' : `${(100 * share).toFixed(1)}%`
}

function bounds(interval: BacktestRow['avoidedInterval']): string {
  return interval === null ? '' : interval.map((bound) => (100 * bound).toFixed(1)).join(' to ')
}

function dollars(usd: number | null): string {
  return usd === null ? '' : `$${usd.toFixed(2)}`
}
