import { PassThrough, Writable } from 'node:stream'
import { expect, test } from 'vitest'
import type { Question } from '../../core/question.ts'
import { terminalPerson } from './terminal-person.ts'

const HIDDEN = 'rm -rf ~/work\u001B[2K\u001B[Gls -la\u202E'

const QUESTION: Question = {
  text: `The agent asks for leave (execute): ${HIDDEN}`,
  options: [
    // oxlint-disable-next-line unicorn/no-thenable -- a sentence, which nobody can call
    { choice: 'a', label: HIDDEN, consequence: { kind: 'abort' }, then: HIDDEN },
    { choice: 'b', label: 'Reject', consequence: { kind: 'continue' } },
  ],
  attempts: [],
}

/** A terminal that keeps what is printed on it. */
function paper(columns: number, rows: number) {
  let printed = ''
  const output = Object.assign(new Writable({ write: (chunk, _encoding, done) => ((printed += chunk), done()) }), {
    columns,
    rows,
    isTTY: true,
  })
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined })
  return { input, output, printed: () => printed }
}

test('ASK-38 on a terminal of no size the question is as wide and long as on a usual one', async () => {
  const { input, output, printed } = paper(0, 0)
  const answer = terminalPerson({ input, output }).ask('fix-login', QUESTION, new AbortController().signal)
  await expect.poll(printed).toContain('Answer later')
  input.write('\r')
  expect(await answer).toEqual({ choice: 'a' })
  expect(printed()).toContain('fix-login asks: The agent asks for leave')
  expect(printed()).toContain('Reject')
})

test('ASK-34 what a question says cannot move the cursor of the terminal on which it is asked', async () => {
  const { input, output, printed } = paper(100, 40)
  const person = terminalPerson({ input, output })
  const answer = person.ask('fix-login', QUESTION, new AbortController().signal)
  await expect.poll(printed).toContain('Reject')
  input.write('\r')
  expect(await answer).toEqual({ choice: 'a' })
  expect(printed()).toContain('rm -rf ~/workls -la')
  expect(printed()).not.toContain('work\u001B[2K')
  expect(printed()).not.toContain('\u202E')
})

test('ASK-39 Enter takes the recommended option', async () => {
  const { input, output, printed } = paper(100, 40)
  const [first, second] = QUESTION.options
  const options = [first!, { ...second!, consequence: { kind: 'accept' }, recommended: true }] as const
  const answer = terminalPerson({ input, output }).ask('fix-login', { ...QUESTION, options }, new AbortController().signal)
  await expect.poll(printed).toContain('Answer later')
  input.write('\r')
  expect(await answer).toEqual({ choice: 'b' })
})

test.each([
  ['3', { choice: 'c' }],
  ['2', { choice: 'b' }],
  ['1', { choice: 'a' }],
  ['13', { choice: 'c' }],
  // No option has this number: the question stays open.
  ['9', undefined],
  ['0', undefined],
])('CLI-513 typing %s and Enter takes the option with that number, and no other', async (keys, taken) => {
  const { input, output, printed } = paper(100, 40)
  const options = ['a', 'b', 'c'].map((choice) => ({
    choice,
    label: `Label ${choice}`,
    consequence: { kind: 'abort' } as const,
    ...(choice === 'b' ? { recommended: true } : {}),
  }))
  const answer = terminalPerson({ input, output }).ask('fix-login', { ...QUESTION, options }, new AbortController().signal)
  await expect.poll(printed).toContain('Answer later')
  expect(printed()).toContain('3  Label c')
  input.write(`${keys}\r`)
  expect(await answer).toEqual(taken)
})
