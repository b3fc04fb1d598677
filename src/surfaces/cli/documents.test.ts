import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonValues, readDocuments } from './documents.ts'

const CHECK = { task_id: 'a', current_iteration: 1, test_result: { status: 'pass', output: 'has } and { and "quotes"\n---\n' } }

/** The tasks that were read, and what is said about the rest. */
function read(text: string): { readonly tasks: readonly string[]; readonly places: readonly string[]; readonly wrong: string } {
  const { documents, problem } = readDocuments(text, 'in.yaml')
  return {
    tasks: documents.map(({ document }) => document.iteration_check.task_id),
    places: documents.map(({ place }) => place),
    wrong: problem?.message ?? '',
  }
}

const DOCUMENTS = ['a', 'b', 'c'].map((task_id) => ({ iteration_check: { ...CHECK, task_id } }))
const YAML = DOCUMENTS.map(
  ({ iteration_check: { task_id } }) =>
    `iteration_check:\n  task_id: ${task_id}\n  current_iteration: 1\n  test_result: { status: pass }\n`,
)

test.each([
  ['YAML with --- between', YAML.join('---\n')],
  ['YAML that begins and ends with ---', `---\n${YAML.join('---\n')}---\n`],
  ['a YAML list', DOCUMENTS.map((document) => `- ${JSON.stringify(document)}`).join('\n')],
  ['JSON lines', DOCUMENTS.map((document) => JSON.stringify(document)).join('\n')],
  ['JSON values over several lines', DOCUMENTS.map((document) => JSON.stringify(document, null, '\t')).join('\n')],
  ['a JSON array', JSON.stringify(DOCUMENTS, null, 2)],
])('CLI-300 several documents are read from %s', (_what, text) => {
  expect(read(text)).toMatchObject({ tasks: ['a', 'b', 'c'], wrong: '' })
})

test('CLI-301 reports all problems of a document with file, line, column and the nearest right name; reads those before it', () => {
  const wrong = `${YAML[0]}---
iteration_check:
  taskid: b
  current_iteration: zero
  test_result:
    status: passed
iteration_controls: {}
---
${YAML[2]}`
  const { tasks, wrong: told } = read(wrong)
  expect(tasks).toEqual(['a'])
  expect(told.split('\n')).toEqual([
    'in.yaml:7:3: unknown key "taskid"; did you mean "task_id"?',
    'in.yaml:7:3: "task_id" is missing: it must be a text that names the task',
    'in.yaml:8:22: "current_iteration" must be the number of iterations completed, a whole number from 1, not the text "zero"',
    'in.yaml:10:13: "status" must be pass, fail or error, not the text "passed"; did you mean "pass"?',
    'in.yaml:11:1: unknown key "iteration_controls"; did you mean "iteration_control"?',
  ])
})

test.each([
  ['JSON lines', `${JSON.stringify(DOCUMENTS[0])}\n{"iteration_check": {"task_id": 7}}`, 'in.yaml:2:33: "task_id" must be'],
  [
    'a JSON array',
    `[\n${JSON.stringify(DOCUMENTS[0])},\n{"iteration_check": {"task_id": 7}}]`,
    'in.yaml:3:33: "task_id" must be',
  ],
])('CLI-301 places are right in %s', (_what, text, told) => {
  const { tasks, wrong } = read(text)
  expect(tasks).toEqual(['a'])
  expect(wrong).toContain(told)
})

test('CLI-302 reports a syntax error with its place, and reads the documents before it', () => {
  expect(read(`${YAML[0]}---\niteration_check: [1\n`)).toMatchObject({
    tasks: ['a'],
    wrong: expect.stringMatching(/^in\.yaml:\d+:\d+: this is not YAML/),
  })
  expect(read(`${JSON.stringify(DOCUMENTS[0])}\n{"iteration_check": `)).toMatchObject({
    tasks: ['a'],
    wrong: expect.stringMatching(/^in\.yaml:2:/),
  })
})

test('CLI-302 an empty text, and one that is no document, are refused', () => {
  for (const text of ['', '\n# nothing\n', '---\n'])
    expect(read(text).wrong).toBe('in.yaml holds no document: it must be YAML or JSON that begins with "iteration_check:".')
  expect(read('just words').wrong).toBe('in.yaml:1:1: a document must be a map with "iteration_check", not the text "just words"')
})

test('CLI-300 every document knows where it begins', () => {
  expect(read(YAML.join('---\n')).places).toEqual(['in.yaml:1:1', 'in.yaml:6:1', 'in.yaml:11:1'])
})

test('CLI-300 JSON values are taken apart wherever they end', () => {
  const values = fc.array(fc.oneof(fc.object(), fc.array(fc.jsonValue())), { maxLength: 5 })
  fc.assert(
    fc.property(values, fc.constantFrom('', ' ', '\n', '\n\n'), (given, between) => {
      const text = given.map((value) => JSON.stringify(value)).join(between)
      const parts = jsonValues(text)
      expect(parts.map((part) => JSON.parse(part.text))).toEqual(JSON.parse(JSON.stringify(given)))
      for (const part of parts) expect(text.slice(part.offset, part.offset + part.text.length)).toBe(part.text)
    }),
    { numRuns: 200 },
  )
})
