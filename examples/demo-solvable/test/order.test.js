import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Cart } from '../src/cart.js'
import { tierPercent, voucherAmount } from '../src/discounts.js'
import { formatEuros, percentOf } from '../src/money.js'
import { includedVat, quote } from '../src/order.js'
import { parcelPrice } from '../src/shipping.js'

const mug = { sku: 'mug', price: 1250, grams: 350 }
const poster = { sku: 'poster', price: 900, grams: 120 }
const anvil = { sku: 'anvil', price: 4900, grams: 12500 }
const voucher = { amount: 1000, minimum: 3000, expires: '2026-06-30' }

function cartOf(product, quantity) {
  const cart = new Cart()
  cart.add(product, quantity)
  return cart
}

test('an empty cart costs nothing', () => {
  const cart = new Cart()
  assert.equal(cart.subtotal, 0)
  assert.equal(cart.itemCount, 0)
})

test('the subtotal counts every piece', () => {
  const cart = new Cart()
  cart.add(mug, 2)
  cart.add(poster)
  assert.equal(cart.subtotal, 3400)
  assert.equal(cart.weightGrams, 820)
})

test('adding a product again adds to its quantity', () => {
  const cart = new Cart()
  cart.add(mug, 2)
  cart.add(mug, 3)
  assert.equal(cart.itemCount, 5)
  assert.equal(cart.lines.length, 1)
})

test('a removed product no longer counts', () => {
  const cart = new Cart()
  cart.add(mug)
  cart.add(poster, 4)
  cart.remove('poster')
  assert.equal(cart.subtotal, 1250)
  assert.throws(() => cart.remove('poster'), /there is no poster/)
})

test('a quantity below one is refused', () => {
  assert.throws(() => new Cart().add(mug, 0), RangeError)
})

test('more pieces give a better tier', () => {
  assert.deepEqual([4, 5, 10, 24, 25].map(tierPercent), [0, 5, 10, 10, 15])
})

test('a voucher needs its minimum and is good on its last day', () => {
  assert.equal(voucherAmount(voucher, 2999, '2026-03-01'), 0)
  assert.equal(voucherAmount(voucher, 3000, '2026-03-01'), 1000)
  assert.equal(voucherAmount(voucher, 3000, '2026-06-30'), 1000)
  assert.equal(voucherAmount(voucher, 3000, '2026-07-01'), 0)
})

test('a parcel is priced by its weight', () => {
  assert.equal(parcelPrice(500), 390)
  assert.equal(parcelPrice(501), 590)
  assert.equal(parcelPrice(10000), 990)
})

test('every kilo begun above ten costs extra', () => {
  assert.equal(parcelPrice(12000), 990 + 2 * 120)
  assert.equal(parcelPrice(12500), 990 + 3 * 120)
})

test('a small order pays for shipping', () => {
  const { shipping, total } = quote(cartOf(mug, 2))
  assert.equal(shipping, 590)
  assert.equal(total, 3090)
})

test('a large order within the country is sent free of charge', () => {
  const { discount, shipping, total } = quote(cartOf(mug, 10), { voucher })
  assert.equal(discount, 1250 + 1000)
  assert.equal(shipping, 0)
  assert.equal(total, 10250)
})

test('an order to another country pays double for the parcel', () => {
  assert.equal(quote(cartOf(anvil, 2), { country: 'FR' }).shipping, 2 * (990 + 15 * 120))
})

test('the tax is part of the total', () => {
  assert.equal(includedVat(11900), 1900)
  assert.equal(percentOf(999, 10), 100)
})

test('amounts are written with two digits', () => {
  assert.equal(formatEuros(1205), '12.05 EUR')
  assert.equal(formatEuros(-70), '-0.70 EUR')
})
