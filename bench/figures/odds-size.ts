import { statSync } from 'node:fs'
import { join } from 'node:path'
import { atMost } from '../bound.ts'
import type { Figure } from '../figure.ts'

const BYTES_MAX = 200_000

/** How large the shipped odds are, as a share of the 200 KB they may have. */
export const oddsSize: Figure = {
  name: 'odds-size',
  bound: atMost(1),
  measure: async () => {
    const { size } = statSync(join(import.meta.dirname, '..', '..', 'src', 'guards', 'odds', 'shipped-odds.ts'))
    return {
      status: 'measured',
      value: size / BYTES_MAX,
      details: [`The data of the odds has ${size} bytes; the value is that by ${BYTES_MAX}.`],
    }
  },
}
