import { expect, test } from 'vitest'
import { answersOf } from './answers.ts'

test('RES-140 an open question names what was found on the way, then what nobody read', () => {
  const finding = {
    id: 'finding-001',
    description: 'src/shop.js declares `shipping`.',
    citations: [{ file: 'src/shop.js', line: 1, snippet: 'function shipping', status: 'exact' }],
    sourceAgents: ['explore'],
  }
  const result = {
    questions: [{ id: 'q1', text: 'Where is shipping computed?', status: 'not', findings: [], missing: 'a place' }],
    findings: [finding],
    coverage: { files: [{ path: 'src/tax.js', reasons: ['it imports shop'] }], missing: ['src/shop.js', 'src/tax.js'] },
  }
  const [answer] = answersOf(result as never)
  expect(answer?.lookAt).toEqual([
    { file: 'src/shop.js', why: 'src/shop.js declares `shipping`.' },
    { file: 'src/tax.js', why: 'it imports shop' },
  ])
})
