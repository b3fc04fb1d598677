/** A policy as a point: what it loses and what it avoids, as shares. */
export interface FrontierPoint {
  readonly lost: number
  readonly avoided: number
}

/**
 * The upper convex hull of policies, from losing nothing on: what can be had at each loss by choosing a policy, or by tossing a coin
 * between two. Doing nothing is always to be had. The points are in the order of what they lose.
 */
export function frontierOf<Point extends FrontierPoint>(points: readonly Point[]): readonly (Point | FrontierPoint)[] {
  const sorted = [{ lost: 0, avoided: 0 }, ...points].toSorted(
    (one, other) => one.lost - other.lost || other.avoided - one.avoided,
  )
  const hull: (Point | FrontierPoint)[] = []
  for (const point of sorted) {
    if (point.avoided <= (hull.at(-1)?.avoided ?? -1)) continue
    while (hull.length >= 2 && !isAbove(hull.at(-2) as FrontierPoint, hull.at(-1) as FrontierPoint, point)) hull.pop()
    hull.push(point)
  }
  return hull
}

/** Whether the middle one lies above the line between the others. */
function isAbove(left: FrontierPoint, middle: FrontierPoint, right: FrontierPoint): boolean {
  const rise = (right.avoided - left.avoided) * (middle.lost - left.lost)
  return (middle.avoided - left.avoided) * (right.lost - left.lost) > rise
}

/** What a frontier avoids at a given loss; beyond its last point as much as there. */
export function avoidedAt(frontier: readonly FrontierPoint[], lost: number): number {
  const next = frontier.findIndex((point) => point.lost > lost)
  const left = frontier.at(next === -1 ? -1 : next - 1)
  const right = next === -1 ? undefined : frontier[next]
  if (!left || next === 0) return 0
  if (!right) return left.avoided
  return left.avoided + ((right.avoided - left.avoided) * (lost - left.lost)) / (right.lost - left.lost)
}
