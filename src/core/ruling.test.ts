import { describe, expect, it } from 'vitest'
import { type Ruling, ruledName, rulingIn, rulingsIn, rulingWords } from './ruling.ts'

function words(right: Ruling['right'], test = 'id'): string {
  return rulingWords({ test, right }, '1', '"1"')
}

describe('a ruling', () => {
  it.each<[Ruling, string]>([
    [{ test: 'id', right: 'test' }, 'In "id" the test is right: change the code so that it gives 1.'],
    [
      { test: 'a "quoted" one', right: 'code' },
      'In "a "quoted" one" the code is right: change the test so that it expects "1", and nothing else in it.',
    ],
    [
      { test: 'id', right: 'both' },
      'In "id" both are right: let the code take either form, and the test accept 1 as well as "1".',
    ],
  ])('CORE-260 is told in words that can be read again: %j', (ruling, told) => {
    expect(rulingWords(ruling, '1', '"1"')).toBe(told)
    expect(rulingIn(told)).toEqual(ruling)
  })

  it('CORE-260 of a test with a long name knows what it calls it', () => {
    const test = 'x'.repeat(200)
    expect(rulingIn(rulingWords({ test, right: 'code' }, '1', '2'))).toEqual({ test: ruledName(test), right: 'code' })
  })

  it('CORE-260 is read only from what a brief says that people said, the last word on each test', () => {
    const brief = [
      `# Goal\n- ${words('both', 'goal')}`,
      `# A person said\n- Old accounts stay.\n- ${words('test')}\n- ${words('both', 'other')}\n- ${words('code')}`,
      `# What fails now\n- ${words('code', 'said by a test')}`,
    ].join('\n\n')
    expect(rulingsIn(brief)).toEqual([
      { test: 'id', right: 'code' },
      { test: 'other', right: 'both' },
    ])
    expect(rulingsIn(`# Goal\n${words('code')}`)).toEqual([])
  })
})
