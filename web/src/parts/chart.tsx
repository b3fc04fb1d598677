import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type UPlot from 'uplot'
import type { makePlot } from '../chart-library.ts'
import { go } from '../router.ts'

/** How high a chart is; the style sheet keeps the place. */
export const HEIGHT = 190

/** One line of a chart. */
export interface Series {
  readonly label: string
  readonly values: readonly (number | null)[]
  /** A variable of the style sheet. */
  readonly colour: string
  readonly scale: string
  readonly text: (value: number) => string
  readonly isDashed?: boolean
  readonly isBars?: boolean
  /** Set if there are only whole numbers. */
  readonly isWhole?: boolean
}

/** A place between two points at which nothing happened for long. */
export interface ChartGap {
  /** Between this point and the next one. */
  readonly after: number
  readonly text: string
}

/** A chart over iterations. The library for it is loaded when a chart is first drawn; the place is kept. */
export function Chart({
  x,
  series,
  gaps = [],
  label,
  linkTo,
  xText,
}: {
  readonly x: readonly number[]
  readonly series: readonly Series[]
  readonly gaps?: readonly ChartGap[]
  readonly label: string
  readonly linkTo?: (x: number) => string
  /** What the horizontal axis says; default: the number. */
  readonly xText?: (x: number) => string
}): JSX.Element {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot | undefined>(undefined)
  const tip = useSignal('')
  const latest = useRef({ x, series, gaps, xText })
  latest.current = { x, series, gaps, xText }
  const key = series.map((each) => each.label).join()

  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    let isGone = false
    let make: typeof makePlot | undefined
    const draw = (): void => {
      plot.current?.destroy()
      plot.current = make?.(element, latest, tip)
    }
    const load = async (): Promise<void> => {
      const library = await import('../chart-library.ts')
      if (isGone) return
      make = library.makePlot
      draw()
    }
    void load()
    const size = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: HEIGHT }))
    size.observe(element)
    // The colours of a canvas don't follow the theme by themselves.
    const theme = new MutationObserver(draw)
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    const system = matchMedia('(prefers-color-scheme: dark)')
    system.addEventListener('change', draw)
    return () => {
      isGone = true
      size.disconnect()
      theme.disconnect()
      system.removeEventListener('change', draw)
      plot.current?.destroy()
    }
  }, [key])
  useEffect(() => {
    plot.current?.setData([x as number[], ...series.map(({ values }) => values as number[])])
  }, [x, series])

  return (
    <figure class="pad stack tight">
      <div
        ref={box}
        class="chart"
        role="img"
        aria-label={label}
        onClick={() => {
          const index = plot.current?.cursor.idx
          const at = index == null ? undefined : x[index]
          if (at !== undefined && linkTo) go(linkTo(at))
        }}
      />
      <figcaption class="row small soft">
        {series.length > 1 &&
          series.map(({ label: name, colour }) => (
            <span key={name} class="row tight">
              <svg width="14" height="8" aria-hidden="true">
                <rect y="3" width="14" height="3" rx="1.5" fill={`var(${colour})`} />
              </svg>
              {name}
            </span>
          ))}
        <span class="num tip">{tip.value}</span>
      </figcaption>
    </figure>
  )
}
