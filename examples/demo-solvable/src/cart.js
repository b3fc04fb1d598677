export class Cart {
  #lines = new Map()

  /** Adds a product, or more of one that is already there. */
  add(product, quantity = 1) {
    if (quantity < 1) throw new RangeError('the quantity must be at least 1')
    const line = this.#lines.get(product.sku)
    if (line) line.quantity = quantity
    else this.#lines.set(product.sku, { product, quantity })
  }

  remove(sku) {
    if (!this.#lines.delete(sku)) throw new RangeError(`there is no ${sku} in the cart`)
  }

  get lines() {
    return [...this.#lines.values()]
  }

  get itemCount() {
    return this.lines.reduce((count, line) => count + line.quantity, 0)
  }

  get subtotal() {
    return this.lines.reduce((sum, line) => sum + line.product.price * line.quantity, 0)
  }

  get weightGrams() {
    return this.lines.reduce((sum, line) => sum + line.product.grams * line.quantity, 0)
  }
}
