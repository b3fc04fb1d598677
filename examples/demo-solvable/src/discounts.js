import { percentOf } from './money.js'

/** The more pieces, the cheaper: the last tier that the count reaches applies. */
const TIERS = [
  { pieces: 5, percent: 5 },
  { pieces: 10, percent: 10 },
  { pieces: 25, percent: 15 },
]

export function tierPercent(itemCount) {
  let percent = 0
  for (const tier of TIERS) {
    if (itemCount >= tier.pieces) percent = tier.percent
  }
  return percent
}

/** A voucher takes off a fixed amount, but never more than the order is worth. */
export function voucherAmount(voucher, subtotal, today) {
  if (!voucher) return 0
  if (voucher.expires < today) return 0
  if (subtotal < voucher.minimum) return 0
  return Math.min(voucher.amount, subtotal)
}

export function discountFor(cart, voucher, today) {
  const tier = percentOf(cart.subtotal, tierPercent(cart.itemCount))
  return tier + voucherAmount(voucher, cart.subtotal - tier, today)
}
