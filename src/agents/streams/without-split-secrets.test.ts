import { expect, test } from 'vitest'
import { plantedSecrets } from '../../testing/planted-secrets.ts'
import { geminiStream } from './gemini-stream.ts'
import { withoutSplitSecrets } from './without-split-secrets.ts'

const token = plantedSecrets().find(({ name }) => name === 'GitHub token')?.secret ?? ''
const piece = (content: string): string => JSON.stringify({ type: 'message', role: 'assistant', content, delta: true })
const call = JSON.stringify({ type: 'tool_use', tool_id: 'a', tool_name: 'read_file', parameters: {} })

async function kept(...lines: readonly string[]): Promise<readonly string[]> {
  return (await withoutSplitSecrets(geminiStream, { text: lines.join('\n'), bytesCut: 0 })).text.split('\n')
}

const [start, end] = [piece(`I use ${token.slice(0, 12)}`), piece(`${token.slice(12)} now`)]
const LEFT_OUT = '[a message in pieces is left out: there is a secret in it]'

test('SECRET-27 a line that says nothing to the reader does not end a message in pieces: it stays, and the secret around it does not', async () => {
  for (const line of ['(node:7) Warning: slow', '', '{"type":"mess', '[1]', '{"level":"warn"}'])
    expect(await kept(start, line, end, call)).toEqual([LEFT_OUT, line, call])
  expect(await kept(call, start, 'one', 'two', end)).toEqual([call, LEFT_OUT, 'one', 'two'])
})

test('SECRET-27 another event ends it, and lines without a secret stay in their order', async () => {
  const harmless = [piece('I lo'), 'a warning', piece('ok'), call, 'more', piece('Do'), piece('ne.'), 'the end']
  expect(await kept(...harmless)).toEqual(harmless)
  expect(await kept(piece('One'), call, start, 'a warning', end)).toEqual([piece('One'), call, LEFT_OUT, 'a warning'])
})
