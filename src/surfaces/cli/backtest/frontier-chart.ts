import type { BacktestRow } from '../../../core/backtest/backtest.ts'
import { frontierOf } from '../../../core/backtest/frontier.ts'
import { type PlacedLabel, placedLabels } from './placed-labels.ts'

/** The policies of one kind and dataset as an SVG: what they avoid against what they lose, and the hull of the best. Nothing without both. */
export function frontierChart(rows: readonly BacktestRow[]): string {
  const points = rows.flatMap(({ policy, avoided, lost, avoidedInterval, lostInterval }) =>
    avoided === null || lost === null ? [] : [{ policy, avoided, lost, avoidedInterval, lostInterval }],
  )
  if (points.length === 0) return '<p>There is no chart: it takes loops that failed and loops that were solved.</p>'
  const hull = frontierOf(points)
  const lostMax = rounded(Math.max(0.01, ...points.map(({ lost }) => lost)))
  const avoidedMax = rounded(Math.max(0.1, ...points.map(({ avoided }) => avoided)))
  const x = (lost: number): number => LEFT + (WIDTH * Math.min(lost, lostMax)) / lostMax
  const y = (avoided: number): number => TOP + HEIGHT * (1 - Math.min(avoided, avoidedMax) / avoidedMax)
  const line = hull.map(({ lost, avoided }) => `${at(x(lost))},${at(y(avoided))}`).join(' ')
  const marks = points.map((point) => {
    const isBest = hull.includes(point)
    const [low, high] = point.avoidedInterval ?? [point.avoided, point.avoided]
    const [few, many] = point.lostInterval ?? [point.lost, point.lost]
    const place = { x: at(x(point.lost)), y: at(y(point.avoided)) }
    const range = `M${place.x} ${at(y(low))}V${at(y(high))}M${at(x(few))} ${place.y}H${at(x(many))}`
    const title = `${point.policy}: avoids ${share(point.avoided)}, loses ${share(point.lost)}`
    return `<path class="range" d="${range}"/><circle class="${isBest ? 'on' : 'off'}" cx="${place.x}" cy="${place.y}" r="4"><title>${escaped(title)}</title></circle>`
  })
  const named = points.map(({ policy, lost, avoided }) => ({ name: policy, x: x(lost), y: y(avoided) }))
  return `<svg viewBox="0 0 ${LEFT + WIDTH + RIGHT} ${TOP + HEIGHT + BOTTOM}" width="${LEFT + WIDTH + RIGHT}" role="img" aria-label="Avoided against lost">
${ticks(lostMax)
  .map(
    (tick) =>
      `<path class="grid" d="M${at(x(tick))} ${TOP}V${TOP + HEIGHT}"/>${text(x(tick), TOP + HEIGHT + 16, 'middle', share(tick))}`,
  )
  .join('')}
${ticks(avoidedMax)
  .map(
    (tick) =>
      `<path class="grid" d="M${LEFT} ${at(y(tick))}H${LEFT + WIDTH}"/>${text(LEFT - 6, y(tick) + 4, 'end', share(tick))}`,
  )
  .join('')}
<path class="axis" d="M${LEFT} ${TOP}V${TOP + HEIGHT}H${LEFT + WIDTH}"/>
${text(LEFT + WIDTH / 2, TOP + HEIGHT + 34, 'middle', 'successes lost')}
${text(LEFT, TOP - 8, 'start', 'iterations of failed loops avoided')}
<polyline class="hull" points="${line}"/>
${marks.join('\n')}
${placedLabels(named, AREA).map(label).join('\n')}
</svg>`
}

const [LEFT, TOP, RIGHT, BOTTOM] = [56, 28, 190, 44]
const [WIDTH, HEIGHT] = [620, 320]
const AREA = { left: LEFT, top: TOP - 4, right: LEFT + WIDTH + RIGHT, bottom: TOP + HEIGHT }

function label({ words, point, x, y, anchor, isFar }: PlacedLabel): string {
  const line = isFar ? `<path class="leader" d="M${at(point.x)} ${at(point.y)}L${at(x)} ${at(y - 4)}"/>` : ''
  return `${line}<text class="label" x="${at(x)}" y="${at(y)}" text-anchor="${anchor}">${escaped(words)}</text>`
}

/** Text that can stand in a page. */
export function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

function text(x: number, y: number, anchor: string, words: string): string {
  return `<text x="${at(x)}" y="${at(y)}" text-anchor="${anchor}">${words}</text>`
}

function at(place: number): number {
  return Math.round(place * 10) / 10
}

/** Up to the next step, so that the axis ends in a round number. */
function rounded(most: number): number {
  const step = stepOf(most)
  return Math.min(1, Math.ceil(most / step - 1e-9) * step)
}

function stepOf(most: number): number {
  return [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2].find((step) => most / step <= 6) ?? 0.2
}

function ticks(most: number): readonly number[] {
  const step = stepOf(most)
  return Array.from({ length: Math.round(most / step) + 1 }, (_, index) => index * step)
}

function share(value: number): string {
  return `${Number((100 * value).toFixed(1))}%`
}
