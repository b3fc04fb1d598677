import { discountFor } from './discounts.js'
import { shippingFor } from './shipping.js'

const VAT_PERCENT = 19

/** What the customer pays, and how it comes about. */
export function quote(cart, { country = 'DE', voucher, today = '2026-01-01' } = {}) {
  const discount = discountFor(cart, voucher, today)
  const goods = cart.subtotal - discount
  const shipping = cart.itemCount === 0 ? 0 : shippingFor(goods, cart.weightGrams, country)
  const total = goods + shipping
  return { subtotal: cart.subtotal, discount, shipping, total, includedVat: includedVat(total) }
}

/** Prices are shown with tax; this is the part of them that is tax. */
export function includedVat(total) {
  return Math.round((total * VAT_PERCENT) / (100 + VAT_PERCENT))
}
