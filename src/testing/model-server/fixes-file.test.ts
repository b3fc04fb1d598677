import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-repository.ts'
import { fixesFile } from './fixes-file.ts'
import type { ModelMessage, ModelTurn } from './api.ts'

const STEPS = [
  { from: 'one', to: "it's $& two" },
  { from: 'two', to: 'three' },
]

test('MODEL-10 it reads, makes the change that is due by what the file says, and is done; asked again, the next one', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, "a file's name.txt")
  writeFileSync(file, 'one\n')
  const reply = fixesFile({ file, steps: STEPS })
  const messages: ModelMessage[] = [
    said('user', 'Fix it.'),
    { ...said('assistant', ''), calls: [{ id: 'c', name: 'exec_command', input: { cmd: 'ls' } }] },
  ]
  for (const expected of ["it's $& two\n", "it's $& three\n"]) {
    for (let round = 0; round < 2; round++) {
      const { call } = reply(turnOf(messages, ['exec_command'])) as { call: { name: string; input: { cmd: string } } }
      expect(call.name).toBe('exec_command')
      execFileSync('sh', ['-c', call.input.cmd], { env: { PATH: '/usr/bin:/bin' } })
      messages.push({ ...said('assistant', ''), calls: [{ id: 'c', ...call }] }, said('tool', ''))
    }
    expect(readFileSync(file, 'utf8')).toBe(expected)
    expect(reply(turnOf(messages, ['exec_command']))).toEqual({ say: 'Done.' })
    messages.push(said('assistant', 'Done.'), said('user', 'The test still fails.'))
  }
  expect(reply(turnOf(messages, ['exec_command']))).toEqual({ say: 'Done.' })
})

test.each([
  [['Read', 'Edit', 'Bash'], 'Read', 'Edit'],
  [['read_file', 'replace'], 'read_file', 'replace'],
  [['read_file', 'edit'], 'read_file', 'edit'],
])('MODEL-10 with the tools %s it calls %s and %s', async (tools, readTool, editTool) => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'a.txt')
  writeFileSync(file, 'one\n')
  const reply = fixesFile({ file, steps: STEPS, say: 'Ready.' })
  const read = reply(turnOf([said('user', 'Fix it.')], tools))
  expect(read).toEqual({ call: { name: readTool, input: { file_path: file } } })
  const later = [
    said('user', 'Fix it.'),
    { ...said('assistant', ''), calls: [{ id: 'c', name: readTool, input: { file_path: file } }] },
  ]
  expect(reply(turnOf(later, tools))).toMatchObject({
    call: { name: editTool, input: { file_path: file, old_string: 'one', new_string: "it's $& two" } },
  })
  expect(reply(turnOf(later, []))).toEqual({ say: 'Ready.' })
})

test('MODEL-10 a file must be named by its whole path', () => {
  expect(() => fixesFile({ file: 'a.txt', steps: [] })).toThrow('absolute')
})

function said(role: ModelMessage['role'], text: string): ModelMessage {
  return { role, text, calls: [], results: [] }
}

function turnOf(messages: readonly ModelMessage[], tools: readonly string[]): ModelTurn {
  return { api: 'responses', model: 'm', isStreaming: true, messages, tools }
}
