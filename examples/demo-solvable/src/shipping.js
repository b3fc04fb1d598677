const FREE_FROM = 5000
const RATES = [
  { gramsMax: 500, price: 390 },
  { gramsMax: 2000, price: 590 },
  { gramsMax: 10000, price: 990 },
]
const EXTRA_PER_KILO = 120

/** Parcels over ten kilos pay for every kilo begun above that. */
export function parcelPrice(grams) {
  const rate = RATES.find(({ gramsMax }) => grams <= gramsMax)
  if (rate) return rate.price
  const last = RATES[RATES.length - 1]
  return last.price + Math.ceil((grams - last.gramsMax) / 1000) * EXTRA_PER_KILO
}

export function shippingFor(goods, grams, country) {
  if (goods >= FREE_FROM || country === 'DE') return 0
  const price = parcelPrice(grams)
  return country === 'DE' ? price : price * 2
}
