import { avoidedAt, type FrontierPoint } from '../../src/evidence/backtest/backtest.ts'
import { type PlacedLabel, placedLabels } from '../../src/present/backtest-page.ts'

/** What is drawn: the baselines as points with their hull, and the odds as a line. Shares from 0 to 1. */
export interface FrontierDrawing {
  readonly title: string
  readonly lostMax: number
  readonly baselines: readonly (FrontierPoint & { readonly policy: string })[]
  readonly hull: readonly FrontierPoint[]
  readonly odds: readonly FrontierPoint[]
}

/** Avoided against lost as an SVG that needs nothing else. */
export function frontierSvg({ title, lostMax, baselines, hull, odds }: FrontierDrawing): string {
  const x = (lost: number): number => LEFT + (WIDTH * lost) / lostMax
  const y = (avoided: number): number => TOP + HEIGHT * (1 - avoided)
  // At each loss only the most that can be had: the line has a step for each success lost.
  const seen = odds.filter(({ lost }, index) => lost <= lostMax && odds[index + 1]?.lost !== lost)
  const line = (points: readonly FrontierPoint[]): string =>
    points.map(({ lost, avoided }) => `${x(lost).toFixed(1)},${y(avoided).toFixed(1)}`).join(' ')
  const shown = baselines.filter(({ lost, avoided }) => lost <= lostMax && avoided > 0)
  const marks = shown.map(
    ({ policy, lost, avoided }) =>
      `<circle cx="${x(lost).toFixed(1)}" cy="${y(avoided).toFixed(1)}" r="3" fill="#888"><title>${policy}</title></circle>`,
  )
  const labels = placedLabels(
    shown.map(({ policy, lost, avoided }) => ({ name: policy, x: x(lost), y: y(avoided) })),
    AREA,
  )
  const grid = [0, 0.2, 0.4, 0.6, 0.8].map(
    (share) =>
      `<path d="M${LEFT} ${y(share)}H${LEFT + WIDTH}" stroke="#ddd"/><text x="${LEFT - 6}" y="${y(share) + 4}" text-anchor="end">${100 * share}%</text>`,
  )
  const ticks = [0, 1, 2, 3, 4, 5].map((part) => {
    const lost = (lostMax * part) / 5
    return `<text x="${x(lost)}" y="${TOP + HEIGHT + 16}" text-anchor="middle">${Number((100 * lost).toFixed(1))}%</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${LEFT + WIDTH + RIGHT} ${TOP + HEIGHT + 40}" font-family="sans-serif" font-size="11" role="img" aria-label="${title}">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${LEFT}" y="14" font-weight="bold">${title}: iterations of failed loops avoided, against successes lost</text>
<text x="${LEFT}" y="28" fill="#1a6">odds, cross-validated</text><text x="${LEFT + 140}" y="28" fill="#666">baselines and their convex hull</text>
${grid.join('\n')}
${ticks.join('\n')}
<polyline points="${line([...hull.filter(({ lost }) => lost < lostMax), { lost: lostMax, avoided: avoidedAt(hull, lostMax) }])}" fill="none" stroke="#888" stroke-dasharray="4 3"/>
${marks.join('\n')}
<polyline points="${line(seen)}" fill="none" stroke="#1a6" stroke-width="2"/>
${labels.map(labelSvg).join('\n')}
</svg>
`
}

const [LEFT, TOP, WIDTH, HEIGHT, RIGHT] = [48, 40, 760, 460, 120]
const AREA = { left: LEFT, top: TOP, right: LEFT + WIDTH + RIGHT, bottom: TOP + HEIGHT }

function labelSvg({ words, point, x, y, anchor, isFar }: PlacedLabel): string {
  const leader = isFar
    ? `<path d="M${point.x.toFixed(1)} ${point.y.toFixed(1)}L${x.toFixed(1)} ${(y - 4).toFixed(1)}" stroke="#bbb" stroke-width=".7"/>`
    : ''
  const halo = 'paint-order="stroke" stroke="#fff" stroke-width="3" stroke-linejoin="round"'
  return `${leader}<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="#444" ${halo}>${words}</text>`
}
