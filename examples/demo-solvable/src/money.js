/** All amounts are whole cents, so that sums are exact. */
export function cents(euros) {
  return Math.round(euros * 100)
}

export function percentOf(amount, percent) {
  return Math.round((amount * percent) / 100)
}

export function formatEuros(amount) {
  const sign = amount < 0 ? '-' : ''
  const whole = Math.floor(Math.abs(amount) / 100)
  const rest = String(Math.abs(amount) % 100).padStart(2, '0')
  return `${sign}${whole}.${rest} EUR`
}
