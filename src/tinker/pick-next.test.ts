import { describe, expect, test } from 'vitest'
import type { Candidate } from './candidate.ts'
import { pickNext, type TryEffect } from './pick-next.ts'

const candidate = (id: string, line: number, weight: number): Candidate => ({
  id,
  line,
  weight,
  path: 'a.js',
  area: `a.js ${line}`,
  kind: 'number',
  prior: weight,
  start: 0,
  end: 0,
  replacement: '',
  label: id,
})
const candidates = [candidate('first', 1, 1), candidate('second', 1, 0.9), candidate('third', 2, 0.8)]
const pick = (tried: Record<string, TryEffect>) => pickNext(candidates, new Map(Object.entries(tried)))?.id

describe('pickNext', () => {
  test('TINKER-14 the most promising comes first', () => expect(pick({})).toBe('first'))
  test('TINKER-14 a line where a try changed nothing has to wait', () => expect(pick({ first: 'same' })).toBe('third'))
  test('TINKER-14 a line where only the failing tests moved goes on', () => expect(pick({ first: 'closer' })).toBe('second'))
  test('TINKER-14 nothing is tried twice, and in the end nothing is left', () => {
    expect(pick({ first: 'same', third: 'same' })).toBe('second')
    expect(pick({ first: 'same', second: 'moved', third: 'broke' })).toBe(undefined)
  })
})
