import { expect, it } from 'vitest'
import { found } from '../../../test/support/research-play.ts'
import { cutSnippet, readAgentAnswer, readJudgeVerdicts, readProposedQuestions } from './answer.ts'

it('RES-17 an answer of the right shape is read, and what nobody asked for is ignored', () => {
  const finding = found('It works', ['a.ts:1:words'], { claims: [{ subject: 's', attribute: 'a', value: 'v' }] })
  const read = readAgentAnswer({ findings: [finding], decision: 'EXIT', done: true })
  expect(read).toEqual({
    status: 'read',
    answer: { findings: [finding], files: [], questions: [], unknowns: [], resolutions: [], uncertainties: [] },
  })
})

it('RES-18 everything that is wrong is named with its place', () => {
  const read = readAgentAnswer({
    findings: [
      { description: '', impact: 'high', citations: [{ file: 'a.ts', line: 0, snippet: 3 }], claims: [{ subject: 's' }] },
      'text',
    ],
    files: 'all',
    questions: [{ id: 'question-1', status: 'done' }],
  })
  expect(read).toEqual({
    status: 'refused',
    errors: [
      'findings[0].claims[0].attribute must be a text, not missing',
      'findings[0].claims[0].value must be a text, not missing',
      'findings[0].description must be a text, not ""',
      'findings[0].impact must be one of critical, important, informational, not "high"',
      'findings[1] must be an object, not "text"',
      'files must be a list, not "all"',
      'questions[0].status must be one of answered, partly, not, not "done"',
    ],
  })
})

it('RES-131 a citation may be "path:line"; one that cannot be read costs itself, not the answer, and is reported', () => {
  const citations = [
    'src/a.ts:12',
    'src/b.ts:3-9',
    'c.py:7: def login():',
    { file: 'd.go', line: '4' },
    'nowhere',
    { file: 'e.rs', line: 0 },
  ]
  const read = readAgentAnswer({ findings: [{ description: 'It is here', citations }] })
  const answer = read.status === 'read' ? read.answer : undefined
  expect(answer?.findings[0]?.citations).toEqual([
    { file: 'src/a.ts', line: 12, snippet: '' },
    { file: 'src/b.ts', line: 3, snippet: '' },
    { file: 'c.py', line: 7, snippet: 'def login():' },
    { file: 'd.go', line: 4, snippet: '' },
  ])
  expect(answer?.uncertainties).toEqual([
    { area: 'It is here', reason: 'a citation could not be read: line must be a whole number of at least 1, not missing' },
    { area: 'It is here', reason: 'a citation could not be read: line must be a whole number of at least 1, not 0' },
  ])
})

it('RES-133 nothing in an agent’s words moves the cursor, colours the screen or turns the writing', () => {
  const read = readAgentAnswer({ findings: [found('\u001b[2J\u001b[31mred\u001b[0m \u202eevil\u0007')] })
  expect(read.status === 'read' && read.answer.findings[0]?.description).toBe('red evil')
})

it.each([null, [], 'all done', 7, { findings: {} }, { findings: Array.from({ length: 2000 }, () => found('x')) }])(
  'RES-18 %# is no answer',
  (value) => {
    expect(readAgentAnswer(value).status).toBe('refused')
  },
)

it('RES-18 long texts are cut, and so are the errors that are reported', () => {
  const long = readAgentAnswer({ findings: [found('x'.repeat(100_000), [`a.ts:1:${'y'.repeat(100_000)}`])] })
  const [finding] = long.status === 'read' ? long.answer.findings : []
  expect([finding?.description.length, finding?.citations[0]?.snippet.length]).toEqual([1000, 400])
  const wrong = readAgentAnswer({ findings: Array.from({ length: 100 }, () => ({})) })
  expect(wrong.status === 'refused' && wrong.errors.length).toBe(20)
})

it('RES-18 questions and verdicts are read the same way', () => {
  expect(readProposedQuestions({ questions: [] })).toMatchObject({ errors: ['questions must have at least one entry'] })
  expect(readJudgeVerdicts({ verdicts: [{ pair: 'pair-001', verdict: 'maybe', reason: 'x' }] })).toMatchObject({
    errors: ['verdicts[0].verdict must be one of contradiction, no contradiction, not "maybe"'],
  })
})

it('RES-77 a long quotation is cut between two words, so that what is left is in the file', () => {
  expect(cutSnippet('return token(user)', 40)).toBe('return token(user)')
  expect(cutSnippet('return token(user)', 10)).toBe('return')
  expect(cutSnippet('return token(user)', 12)).toBe('return token')
  expect(cutSnippet('return token(user)', 13)).toBe('return token(')
  expect(cutSnippet('a'.repeat(50), 10)).toBe('a'.repeat(10))
})
