import { type BacktestRow, frontierOf, type FrontierPoint } from '../evidence/backtest/backtest.ts'
import type { LoopKind } from '../evidence/backtest/recorded-loop.ts'
import { counted, money, thousands } from '../core/wording.ts'
import {
  type BacktestDocument,
  beyondMaximumWords,
  inSampleWords,
  interval,
  loopWords,
  percent,
  problemsLeft,
  READING,
  skippedWords,
} from './backtest-lines.ts'
import type { Interval } from '../evidence/backtest/bootstrap.ts'
import { safeText } from '../core/safe-text.ts'

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

/** The policies of one kind and dataset as an SVG: what they avoid against what they lose, and the line of the best. Nothing without both. */
export function frontierChart(rows: readonly BacktestRow[]): string {
  const { points, frontier } = chartPoints(rows)
  if (points.length === 0) return '<p class="note">There is no chart: it takes loops that failed and loops that were solved.</p>'
  const scale = isCrowded(points.map(({ lost }) => lost)) ? stretchedScale : evenScale
  const [losses, gains] = [points.flatMap(({ lostRange }) => lostRange), points.flatMap(({ avoidedRange }) => avoidedRange)]
  const [x, y] = [scale(losses, LEFT, LEFT + WIDTH), evenScale(gains, TOP + HEIGHT, TOP)]
  const line = alongIt(frontier).map(({ lost, avoided }) => `${at(x.at(lost))},${at(y.at(avoided))}`)
  const last = frontier.at(-1)
  // Beyond its last point the frontier avoids as much as there.
  const onwards = last ? `<path class="hull onwards" d="M${at(x.at(last.lost))} ${at(y.at(last.avoided))}H${LEFT + WIDTH}"/>` : ''
  const bestFirst = points.toSorted((one, other) => Number(other.isBest) - Number(one.isBest))
  const named = bestFirst.map(({ policies, lost, avoided }) => ({ name: namesOf(policies), x: x.at(lost), y: y.at(avoided) }))
  // Drawn last, so that nothing covers them.
  const marks = bestFirst.toReversed().map((point) => mark(point, x, y))
  return `<figure>
<svg viewBox="0 0 ${LEFT + WIDTH + RIGHT} ${TOP + HEIGHT + BOTTOM}" role="group" aria-label="Iterations avoided against successes lost, a point for each policy; the table below has the same figures">
${x.ticks.map((tick) => `<path class="grid" d="M${at(x.at(tick))} ${TOP}V${TOP + HEIGHT}"/>${text(x.at(tick), TOP + HEIGHT + 18, 'middle', tickWords(tick))}`).join('')}
${y.ticks.map((tick) => `<path class="grid" d="M${LEFT} ${at(y.at(tick))}H${LEFT + WIDTH}"/>${text(LEFT - 8, y.at(tick) + 4, 'end', tickWords(tick))}`).join('')}
<path class="axis" d="M${LEFT} ${TOP}V${TOP + HEIGHT}H${LEFT + WIDTH}"/>
${text(LEFT + WIDTH, TOP + HEIGHT + 38, 'end', `successes lost${x.isStretched ? ' (small losses have more room)' : ''} →`, 'title')}
${text(8, TOP - 14, 'start', '↑ iterations of failed loops avoided', 'title')}
<polyline class="hull" points="${line.join(' ')}"/>${onwards}
${marks.join('\n')}
${placedLabels(named, AREA).map(label).join('\n')}
</svg>
${LEGEND}
</figure>`
}

const [LEFT, TOP, RIGHT, BOTTOM] = [56, 64, 100, 48]
const [WIDTH, HEIGHT] = [800, 400]
const AREA = { left: LEFT, top: TOP - 4, right: LEFT + WIDTH + RIGHT, bottom: TOP + HEIGHT }

/** The frontier in small steps: a straight line between two policies is bent where an axis gives more room to small losses. */
function alongIt(frontier: readonly FrontierPoint[]): readonly FrontierPoint[] {
  return frontier.flatMap((point, index) => {
    const before = frontier[index - 1]
    if (!before) return [point]
    return Array.from({ length: STEPS }, (_, step) => {
      const part = (step + 1) / STEPS
      return {
        lost: before.lost + part * (point.lost - before.lost),
        avoided: before.avoided + part * (point.avoided - before.avoided),
      }
    })
  })
}

const STEPS = 16

/** What the signs of the chart mean. */
const LEGEND = `<figcaption class="legend">
<span><svg viewBox="0 0 26 14" width="26" aria-hidden="true"><path class="hull" d="M1 7H25"/><circle class="on" cx="13" cy="7" r="5"/></svg> on the frontier: nothing here avoids more at that loss</span>
<span><svg viewBox="0 0 14 14" width="14" aria-hidden="true"><circle class="off" cx="7" cy="7" r="4"/></svg> another policy</span>
<span><svg viewBox="0 0 26 14" width="26" aria-hidden="true"><path class="range" d="M1 7H25M1 4V10M25 4V10"/></svg> where it lies 95 of 100 times</span>
<span class="hint">Upper left is better. Point at a policy, or go there with the Tab key, for its figures.</span>
</figcaption>`

function mark(point: ChartPoint, x: ChartScale, y: ChartScale): string {
  const { avoided, lost, avoidedRange, lostRange, policies, isBest } = point
  const [left, top] = [at(x.at(lost)), at(y.at(avoided))]
  const figures = `avoids ${percent(avoided)} ${interval(avoidedRange)}, loses ${percent(lost)} ${interval(lostRange)}`
  const all = `${policies.join(', ')}: ${figures}`
  return `<g class="point" tabindex="0" role="img" aria-label="${escaped(all)}"><title>${escaped(all)}</title>
<path class="range" d="${whisker(left, at(y.at(avoidedRange[0])), at(y.at(avoidedRange[1])), 'upright')}${whisker(top, at(x.at(lostRange[0])), at(x.at(lostRange[1])), 'flat')}"/>
<circle class="${isBest ? 'on' : 'off'}" cx="${left}" cy="${top}" r="${isBest ? 5 : 4}"/>
<text class="readout" x="8" y="18" aria-hidden="true">${escaped(`${namesOf(policies)}: ${figures}`)}</text></g>`
}

/** A line with a cap at both ends; nothing if there is no room between them. */
function whisker(across: number, from: number, to: number, way: 'upright' | 'flat'): string {
  if (from === to) return ''
  const [low, high] = [at(across - CAP), at(across + CAP)]
  return way === 'upright'
    ? `M${across} ${from}V${to}M${low} ${from}H${high}M${low} ${to}H${high}`
    : `M${from} ${across}H${to}M${from} ${low}V${high}M${to} ${low}V${high}`
}

const CAP = 3

/** The first names, and how many more there are: the table has them all. */
function namesOf(policies: readonly string[]): string {
  const more = policies.length - NAMES_SHOWN
  return more < 2 ? policies.join(', ') : `${policies.slice(0, NAMES_SHOWN).join(', ')} and ${more} more`
}

const NAMES_SHOWN = 2

function label({ words, point, x, y, anchor, isFar }: PlacedLabel): string {
  const line = isFar ? `<path class="leader" d="M${at(point.x)} ${at(point.y)}L${at(x)} ${at(y - 4)}"/>` : ''
  return `${line}<text class="label" x="${at(x)}" y="${at(y)}" text-anchor="${anchor}">${escaped(words)}</text>`
}

function text(x: number, y: number, anchor: string, words: string, kind?: string): string {
  return `<text${kind === undefined ? '' : ` class="${kind}"`} x="${at(x)}" y="${at(y)}" text-anchor="${anchor}">${words}</text>`
}

function at(place: number): number {
  return Math.round(place * 10) / 10
}

function tickWords(value: number): string {
  return `${Number((100 * value).toFixed(1))}%`
}

/** The policies that avoid the same and lose the same: one point of the chart. */
interface ChartPoint extends FrontierPoint {
  readonly policies: readonly string[]
  readonly isBest: boolean
  /** Where the shares lie 95 of 100 times; of policies at one point the widest. */
  readonly avoidedRange: Interval
  readonly lostRange: Interval
}

/** The points and the line of the best, of the rows of one kind and dataset; none without loops that failed and loops that were solved. */
function chartPoints(rows: readonly BacktestRow[]): {
  readonly points: readonly ChartPoint[]
  readonly frontier: readonly FrontierPoint[]
} {
  const known = rows.flatMap(({ avoided, lost, ...row }) =>
    avoided === null || lost === null ? [] : [{ ...row, avoided, lost }],
  )
  const frontier = known.length === 0 ? [] : frontierOf<FrontierPoint>(known)
  const groups = Map.groupBy(known, ({ avoided, lost }) => `${avoided} ${lost}`).values()
  const points = [...groups].flatMap((group): readonly ChartPoint[] => {
    const [first] = group
    if (!first) return []
    const { avoided, lost } = first
    const around = (share: number, part: 'avoidedInterval' | 'lostInterval'): Interval => {
      const bounds = [share, ...group.flatMap((each) => each[part] ?? [])]
      return [Math.min(...bounds), Math.max(...bounds)]
    }
    const isBest = frontier.some((best) => best.avoided === avoided && best.lost === lost)
    const ranges = { avoidedRange: around(avoided, 'avoidedInterval'), lostRange: around(lost, 'lostInterval') }
    return [{ avoided, lost, policies: group.map(({ policy }) => policy), isBest, ...ranges }]
  })
  return { points, frontier }
}

/** A point of a chart, in its pixels, with its name. */
export interface NamedPoint {
  readonly name: string
  readonly x: number
  readonly y: number
}

/** A label's place: its point, where its text begins or ends, and whether it needs a line to its point. */
export interface PlacedLabel {
  readonly words: string
  readonly point: { readonly x: number; readonly y: number }
  readonly x: number
  readonly y: number
  readonly anchor: 'start' | 'end'
  readonly isFar: boolean
}

export interface LabelArea {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/**
 * A place for the label of every point, such that no label covers another, nor a point, nor is beside a point of another name, as long
 * as there is room. Points at the same place
 * share a label. The nearest free place is taken, in the order of the points: the same points give the same chart.
 */
export function placedLabels(points: readonly NamedPoint[], area: LabelArea): readonly PlacedLabel[] {
  const groups = [...Map.groupBy(points, ({ x, y }) => `${Math.round(x)} ${Math.round(y)}`).values()]
  const dots = points.map((point) => boxAround(point, DOT))
  const taken: Box[] = []
  return groups.flatMap((group) => {
    const [point] = group
    if (!point) return []
    const words = group.map(({ name }) => name).join(', ')
    const tried = PLACES.map((place) => ({ place, box: boxAt(point, words, place) }))
    const inside = tried.filter(({ box }) => isInside(box, area))
    const isFree = ({ box }: { readonly box: Box }): boolean => ![...taken, ...dots].some((other) => isOver(box, other))
    const foreign = points.filter((other) => !group.includes(other)).map((other) => boxAround(other, APART))
    const free = inside.find((each) => isFree(each) && !foreign.some((other) => isOver(each.box, other))) ?? inside.find(isFree)
    const chosen = free ?? inside.find(({ box }) => !taken.some((other) => isOver(box, other))) ?? inside[0] ?? tried[0]
    if (!chosen) return []
    const { place, box } = chosen
    taken.push(box)
    const x = place.anchor === 'start' ? box.left : box.right
    return [{ words, point, x, y: box.bottom - DESCENT, anchor: place.anchor, isFar: place.isFar }]
  })
}

interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** How wide a letter of the chart's font is at most on the average, how high a line is, and how much of it is below the letters. */
const [LETTER, LINE, DESCENT] = [6.4, 14, 3]
const DOT = 4

/** As near as this a label seems to belong to a point. */
const APART = 12

function boxAround({ x, y }: NamedPoint, distance: number): Box {
  return { left: x - distance, right: x + distance, top: y - distance, bottom: y + distance }
}

interface Place {
  readonly anchor: 'start' | 'end'
  readonly aside: number
  readonly down: number
  readonly isFar: boolean
}

/** Beside the point first, then ever further away, to the right before to the left. */
const PLACES: readonly Place[] = [
  ...[-6, 6, 0].flatMap((down) => bothSides(7, down, false)),
  ...[18, 30, 44, 60, 78, 98, 120].flatMap((far) =>
    [-1, 1].flatMap((way) => [12, 40, 80, 130].flatMap((aside) => bothSides(aside, way * far, true))),
  ),
]

function bothSides(aside: number, down: number, isFar: boolean): readonly Place[] {
  return (['start', 'end'] as const).map((anchor) => ({ anchor, aside, down, isFar }))
}

function boxAt({ x, y }: NamedPoint, words: string, { anchor, aside, down }: Place): Box {
  const width = words.length * LETTER
  const left = anchor === 'start' ? x + aside : x - aside - width
  return { left, right: left + width, top: y + down - LINE / 2, bottom: y + down + LINE / 2 }
}

function isInside(box: Box, area: LabelArea): boolean {
  return box.left >= area.left && box.right <= area.right && box.top >= area.top && box.bottom <= area.bottom
}

function isOver(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
}

/** An axis of shares from 0 on: how far it goes, where it has marks, and a share's position on it in pixels. */
export interface ChartScale {
  readonly ticks: readonly number[]
  /** Whether small shares have more room than large ones. */
  readonly isStretched: boolean
  at(share: number): number
}

/** An axis that holds every share given to it and ends in a round number. */
export function evenScale(shares: readonly number[], from: number, to: number): ChartScale {
  const largest = Math.max(LEAST, ...shares)
  const step = ROUND_STEPS.find((each) => largest / each <= TICKS_MAX) ?? 0.2
  const most = Math.min(1, Math.ceil(largest / step - 1e-9) * step)
  const ticks = Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, index) => index * step)
  return { ticks, isStretched: false, at: (share) => from + (to - from) * Math.min(1, share / most) }
}

/** The same with more room for small shares. */
export function stretchedScale(shares: readonly number[], from: number, to: number): ChartScale {
  const largest = Math.max(...shares)
  const most = STRETCHED_ENDS.find((end) => end >= largest - 1e-9) ?? 1
  const ticks = [...STRETCHED_TICKS.filter((tick) => tick < most), most]
  return { ticks, isStretched: true, at: (share) => from + (to - from) * Math.min(1, Math.sqrt(share / most)) }
}

/** Whether many of these shares are small beside the largest: on an even axis they would overlap. */
export function isCrowded(shares: readonly number[]): boolean {
  const largest = Math.max(0, ...shares)
  return largest > SMALL && shares.filter((share) => share <= largest / 8).length >= CROWD_MIN
}

/** An axis shorter than this would make noise look like a difference. */
const LEAST = 0.01
const ROUND_STEPS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2]
const TICKS_MAX = 6

const SMALL = 0.1
const CROWD_MIN = 5
const STRETCHED_ENDS = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8]
const STRETCHED_TICKS = [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6]

/** Text made safe for a page. */
function escaped(words: string): string {
  return safeText(words).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
