/** A point of a chart, in its pixels, with its name. */
export interface NamedPoint {
  readonly name: string
  readonly x: number
  readonly y: number
}

/** Where a label stands: the point it belongs to, where its text begins or ends, and whether it takes a line to see whose it is. */
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
 * A place for the label of every point, such that no label covers another, nor a point, nor stands beside a point of another name, as long
 * as there is room. Points at the same place
 * share a label. The nearest free place is taken, in the order of the points: the same points give the same chart.
 */
export function placedLabels(points: readonly NamedPoint[], area: LabelArea): readonly PlacedLabel[] {
  const groups = [...Map.groupBy(points, ({ x, y }) => `${Math.round(x)} ${Math.round(y)}`).values()]
  const dots = points.map((point) => around(point, DOT))
  const taken: Box[] = []
  return groups.flatMap((group) => {
    const [point] = group
    if (!point) return []
    const words = group.map(({ name }) => name).join(', ')
    const tried = PLACES.map((place) => ({ place, box: boxAt(point, words, place) }))
    const inside = tried.filter(({ box }) => isInside(box, area))
    const isFree = ({ box }: { readonly box: Box }): boolean => ![...taken, ...dots].some((other) => isOver(box, other))
    const foreign = points.filter((other) => !group.includes(other)).map((other) => around(other, APART))
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

function around({ x, y }: NamedPoint, distance: number): Box {
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
