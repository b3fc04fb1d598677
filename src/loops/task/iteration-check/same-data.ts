/** Whether two pieces of plain data say the same, whatever the order of their fields; a field that is `undefined` counts as absent. */
export function sameData(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const left = one as Readonly<Record<string, unknown>>
  const right = other as Readonly<Record<string, unknown>>
  const keys = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...keys].every((key) => sameData(left[key], right[key]))
}
