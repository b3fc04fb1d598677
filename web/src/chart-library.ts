import type { Signal } from '@preact/signals'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { type ChartGap, HEIGHT, type Series } from './parts/chart.tsx'

interface Drawn {
  readonly current: {
    readonly x: readonly number[]
    readonly series: readonly Series[]
    readonly gaps: readonly ChartGap[]
    readonly xText?: ((x: number) => string) | undefined
  }
}

/** Makes a chart of what is to be drawn; the colours are those of the page now. */
export function makePlot(box: HTMLElement, drawn: Drawn, tip: Signal<string>): UPlot {
  const { x, series, xText } = drawn.current
  const style = getComputedStyle(box)
  const colour = (name: string): string => resolved(box, style.getPropertyValue(name))
  const scales = [...new Set(series.map(({ scale }) => scale))]
  const soft = colour('--soft')
  const line = colour('--line')
  return new UPlot(
    {
      width: box.clientWidth || 300,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, points: { size: 7 } },
      padding: [10, 18, 0, 0],
      scales: {
        x: { time: false, range: (_plot, min, max) => [min - 0.5, max + 0.5] },
        ...Object.fromEntries(
          scales.map((scale) => [
            scale,
            { range: (_plot: UPlot, _min: number, max: number): [number, number] => [0, max > 0 ? max * 1.08 : 1] },
          ]),
        ),
      },
      axes: [
        {
          stroke: soft,
          grid: { show: false },
          ticks: { stroke: line, size: 4 },
          size: 28,
          incrs: WHOLE,
          ...(xText ? { values: (_plot: UPlot, values: number[]) => values.map(xText) } : {}),
        },
        ...scales.slice(0, 2).map((scale, index) => ({
          scale,
          side: index === 0 ? (3 as const) : (1 as const),
          stroke: soft,
          size: 58,
          ...(series.some((each) => each.scale === scale && each.isWhole) ? { incrs: WHOLE } : {}),
          grid: { show: index === 0, stroke: line, width: 1 },
          ticks: { show: false },
          values: (_plot: UPlot, values: number[]) =>
            values.map((value) => series.find((each) => each.scale === scale)?.text(value) ?? ''),
        })),
      ],
      series: [
        {},
        ...series.map((each) => ({
          label: each.label,
          scale: each.scale,
          stroke: colour(each.colour),
          width: 2,
          spanGaps: false,
          points: { show: x.length <= 60, size: 6 },
          ...(each.isDashed ? { dash: [5, 4] } : {}),
          ...(each.isBars && UPlot.paths.bars
            ? { paths: UPlot.paths.bars({ size: [0.5, 24] }), fill: `${colour(each.colour)}`, width: 0, points: { show: false } }
            : {}),
        })),
      ],
      hooks: {
        drawClear: [(plot) => drawGaps(plot, drawn.current.gaps, drawn.current.x, colour('--wait'), colour('--wait-wash'))],
        setCursor: [
          (plot) => {
            const index = plot.cursor.idx
            tip.value = index == null ? '' : tipText(drawn, index)
          },
        ],
      },
    },
    [x as number[], ...series.map(({ values }) => values as number[])],
    box,
  )
}

const WHOLE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000, 100_000, 1_000_000]

function tipText({ current: { x, series, xText } }: Drawn, index: number): string {
  const values = series.flatMap(({ values: all, text, label }) => {
    const value = all[index]
    return value == null ? [] : [`${text(value)} ${label.toLowerCase()}`]
  })
  const at = x[index] ?? 0
  return `${xText ? xText(at) : `#${at}`}: ${values.join(', ')}`
}

/** A band with its length in words: "waited 3 h". */
function drawGaps(plot: UPlot, gaps: readonly ChartGap[], x: readonly number[], stroke: string, fill: string): void {
  const { ctx } = plot
  const { top, height } = plot.bbox
  ctx.save()
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`
  let last = -Infinity
  for (const { after, text } of gaps) {
    const left = plot.valToPos(after + 0.3, 'x', true)
    const right = plot.valToPos(after + 0.7, 'x', true)
    const middle = (left + right) / 2
    if (x.length > 400 && middle - last < 8) continue
    ctx.fillStyle = fill
    ctx.fillRect(left, top, Math.max(2, right - left), height)
    ctx.strokeStyle = stroke
    ctx.setLineDash([3, 3])
    ctx.beginPath()
    ctx.moveTo(middle, top)
    ctx.lineTo(middle, top + height)
    ctx.stroke()
    const width = ctx.measureText(text).width
    if (middle - width / 2 - last > 8) {
      ctx.fillStyle = stroke
      ctx.textAlign = 'center'
      ctx.fillText(text, middle, top + 12 * devicePixelRatio)
      last = middle + width / 2
    }
  }
  ctx.restore()
}

/** A canvas knows neither `light-dark()` nor variables: the browser says what colour comes out. */
function resolved(box: HTMLElement, value: string): string {
  const probe = document.createElement('span')
  probe.style.color = value
  box.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
