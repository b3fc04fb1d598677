import { percent } from '../../core/wording.ts'
import type { Convergence } from './progress.ts'

type Measured = Pick<Convergence, 'iteration' | 'coverage' | 'confidence' | 'criteria'>

/** Coverage and confidence by iteration as an SVG picture, with their thresholds as broken lines. It needs nothing else to be shown. */
export function convergenceChart(convergences: readonly Measured[]): string {
  const lines = [
    { name: 'coverage', colour: '#2563eb', of: ({ coverage }: Measured) => coverage },
    { name: 'confidence', colour: '#b45309', of: ({ confidence }: Measured) => confidence },
  ] as const
  const last = convergences.at(-1)
  const parts = lines.flatMap(({ name, colour, of }, index) => {
    const threshold = last?.criteria.find(({ criterion }) => criterion === name)?.threshold
    return [
      ...(threshold === undefined ? [] : [thresholdLine(threshold, colour)]),
      curve(convergences, of, colour),
      ...convergences.map((each, place) => point(place, convergences.length, of(each), colour, name)),
      legend(index, name, colour, last ? of(last) : undefined),
    ]
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Coverage and confidence by iteration" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    ...[0, 0.25, 0.5, 0.75, 1].map(gridLine),
    ...convergences.map(({ iteration }, place) => tick(place, convergences.length, iteration)),
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}

const WIDTH = 640
const HEIGHT = 320
const LEFT = 48
const RIGHT = 24
const TOP = 40
const BOTTOM = 36

function x(place: number, count: number): number {
  const width = WIDTH - LEFT - RIGHT
  return rounded(count < 2 ? LEFT + width / 2 : LEFT + (place / (count - 1)) * width)
}

function y(share: number): number {
  return rounded(TOP + (1 - clamped(share)) * (HEIGHT - TOP - BOTTOM))
}

function rounded(value: number): number {
  return Number(value.toFixed(1))
}

function gridLine(share: number): string {
  const at = y(share)
  return `<path d="M${LEFT} ${at}H${WIDTH - RIGHT}" stroke="#e5e7eb"/><text x="${LEFT - 8}" y="${at + 4}" text-anchor="end" fill="#374151">${percent(share)}</text>`
}

function tick(place: number, count: number, iteration: number): string {
  return `<text x="${x(place, count)}" y="${HEIGHT - 12}" text-anchor="middle" fill="#374151">${iteration}</text>`
}

function thresholdLine(threshold: number, colour: string): string {
  return `<path d="M${LEFT} ${y(threshold)}H${WIDTH - RIGHT}" stroke="${colour}" stroke-dasharray="4 4" opacity="0.6"/>`
}

function curve(convergences: readonly Measured[], of: (each: Measured) => number, colour: string): string {
  const points = convergences.map((each, place) => `${x(place, convergences.length)},${y(of(each))}`)
  return `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`
}

function point(place: number, count: number, share: number, colour: string, name: string): string {
  return `<circle cx="${x(place, count)}" cy="${y(share)}" r="3.5" fill="${colour}"><title>${name} ${percent(share)}</title></circle>`
}

function legend(index: number, name: string, colour: string, share: number | undefined): string {
  const left = LEFT + index * 180
  const value = share === undefined ? '' : ` ${percent(share)}`
  return `<rect x="${left}" y="14" width="12" height="12" fill="${colour}"/><text x="${left + 18}" y="24" fill="#111827">${name}${value}</text>`
}

/** Coverage and confidence by iteration as bars for a terminal, with a mark where the threshold is. */
export function textChart(convergences: readonly Measured[]): readonly string[] {
  const last = convergences.at(-1)
  if (!last) return []
  const threshold = (name: string): number | undefined => last.criteria.find(({ criterion }) => criterion === name)?.threshold
  return convergences.flatMap(({ iteration, coverage, confidence }) => [
    `${String(iteration).padStart(3)}  coverage   ${bar(coverage, threshold('coverage'))} ${percent(coverage).padStart(4)}`,
    `     confidence ${bar(confidence, threshold('confidence'))} ${percent(confidence).padStart(4)}`,
  ])
}

const BAR_WIDTH = 40

function bar(share: number, threshold: number | undefined): string {
  const filled = Math.round(clamped(share) * BAR_WIDTH)
  const mark = threshold === undefined ? -1 : Math.min(BAR_WIDTH - 1, Math.round(clamped(threshold) * BAR_WIDTH))
  return Array.from({ length: BAR_WIDTH }, (_, index) => (index === mark ? '|' : index < filled ? '█' : '·')).join('')
}

function clamped(share: number): number {
  return Math.min(1, Math.max(0, share))
}
