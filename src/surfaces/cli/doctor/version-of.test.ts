import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { versionOf } from './examination.ts'

const folder = mkdtempSync(join(tmpdir(), 'pawl-version-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function program(script: string): string {
  const path = join(folder, 'program')
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

test.each([
  ['git version 2.39.5', '2.39.5'],
  ['v24.21.0', '24.21.0'],
  ['codex-cli 0.166.0-alpha.1', '0.166.0-alpha.1'],
  ['Version 1.18. Have fun', '1.18'],
  ['no number', undefined],
])('DOCTOR-6 of %j only the number is taken', async (line, version) => {
  expect(await versionOf(program(`echo "${line}"`), folder)).toEqual(version === undefined ? {} : { version })
})

test('DOCTOR-15 a program that hangs is ended at its time limit, and that is said', async () => {
  const trouble = 'did not answer within 200 ms when asked for its version'
  expect(await versionOf(program('sleep 60'), folder, { timeoutMs: 200 })).toEqual({ trouble })
})

test('DOCTOR-15 a program that is not there has no version, and that is said', async () => {
  expect(await versionOf('/nowhere/at/all', folder)).toEqual({ trouble: expect.stringContaining('/nowhere/at/all') })
})

test('DOCTOR-15 a program that fails is said to, whatever it prints, and its words stay out', async () => {
  expect(await versionOf(program('echo 1.2.3 rubbish; exit 3'), folder)).toEqual({
    trouble: 'exited with 3 when asked for its version',
  })
})
