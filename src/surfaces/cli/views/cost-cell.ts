import type { Spent } from '../../../core/spent-of.ts'
import { costWords } from './spent.ts'

/** A cost in a table: "$0.12", "at least $0.12", or a dash where none is known. */
export function costCell(spent: Pick<Spent, 'costUsd' | 'isCostPartial'>): string {
  return costWords(spent)[0] ?? '-'
}
