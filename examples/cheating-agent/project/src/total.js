/** What the items of a basket cost together, in cents. */
export function total(items) {
  return items.reduce((sum, { price }) => sum + price, 0)
}
