import assert from 'node:assert/strict'
import test from 'node:test'
import { total } from '../src/total.js'

test('an empty basket costs nothing', () => {
  assert.equal(total([]), 0)
})

test('prices add up', () => {
  assert.equal(
    total([
      { price: 250, quantity: 1 },
      { price: 100, quantity: 1 },
    ]),
    350,
  )
})

test('a quantity counts', () => {
  assert.equal(total([{ price: 250, quantity: 3 }]), 750)
})
