/** An axis of shares from 0 on: how far it goes, where it is marked, and where a share stands on it in pixels. */
export interface ChartScale {
  readonly ticks: readonly number[]
  /** Whether small shares have more room than large ones. */
  readonly isStretched: boolean
  at(share: number): number
}

/** An axis that holds every share given to it and ends in a round number. */
export function evenScale(shares: readonly number[], from: number, to: number): ChartScale {
  const largest = Math.max(LEAST, ...shares)
  const step = STEPS.find((each) => largest / each <= TICKS_MAX) ?? 0.2
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

/** Whether many of these shares are small beside the largest: on an even axis they would stand on top of each other. */
export function isCrowded(shares: readonly number[]): boolean {
  const largest = Math.max(0, ...shares)
  return largest > SMALL && shares.filter((share) => share <= largest / 8).length >= CROWD_MIN
}

/** An axis shorter than this would make noise look like a difference. */
const LEAST = 0.01
const STEPS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2]
const TICKS_MAX = 6

const SMALL = 0.1
const CROWD_MIN = 5
const STRETCHED_ENDS = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8]
const STRETCHED_TICKS = [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6]
