import type { BacktestRow } from '../../../evidence/backtest/backtest.ts'
import type { FrontierPoint } from '../../../evidence/backtest/frontier.ts'
import { interval, percent } from '../../../present/backtest-lines.ts'
import { type ChartPoint, chartPoints } from './chart-points.ts'
import { type ChartScale, evenScale, isCrowded, stretchedScale } from './chart-scale.ts'
import { escaped } from './html-text.ts'
import { type PlacedLabel, placedLabels } from './placed-labels.ts'

/** The policies of one kind and dataset as an SVG: what they avoid against what they lose, and the line of the best. Nothing without both. */
export function frontierChart(rows: readonly BacktestRow[]): string {
  const { points, frontier } = chartPoints(rows)
  if (points.length === 0) return '<p class="note">There is no chart: it takes loops that failed and loops that were solved.</p>'
  const scale = isCrowded(points.map(({ lost }) => lost)) ? stretchedScale : evenScale
  const x = scale(
    points.flatMap(({ lostRange }) => lostRange),
    LEFT,
    LEFT + WIDTH,
  )
  const y = evenScale(
    points.flatMap(({ avoidedRange }) => avoidedRange),
    TOP + HEIGHT,
    TOP,
  )
  const best = alongIt(frontier)
    .map(({ lost, avoided }) => `${at(x.at(lost))},${at(y.at(avoided))}`)
    .join(' ')
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
<polyline class="hull" points="${best}"/>${onwards}
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

/** A line with a cap at both ends; nothing where there is no room between them. */
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
