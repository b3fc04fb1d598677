import { expect, test } from 'vitest'
import { groundLines, type ShownQuestion } from './question-lines.ts'

const SCREEN = { columns: 80, paint: (_style: unknown, text: string) => text }
const QUESTION: ShownQuestion = { text: 'What now?', options: [] }

test('CLI-482 a single step to do before answering has no number', () => {
  expect(groundLines({ ...QUESTION, steps: ['Look at it.'] }, SCREEN)).toEqual(['First       Look at it.'])
  expect(groundLines({ ...QUESTION, steps: ['Look at it.', 'Mend it.'] }, SCREEN)).toEqual([
    'First       1. Look at it.',
    '            2. Mend it.',
  ])
})
