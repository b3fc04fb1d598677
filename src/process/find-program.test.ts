import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { resolveProgram } from './find-program.ts'
import { temporaryFolder } from '../../test/support/process-support.ts'

function folderWith(name: string, content: string, mode: number): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, name), content)
  chmodSync(join(folder, name), mode)
  return folder
}

test('PROC-8 a bare name is looked up on the given PATH, in its order', async () => {
  const first = folderWith('tool', '#!/bin/sh\n', 0o755)
  const second = folderWith('tool', '#!/bin/sh\n', 0o755)
  expect(await resolveProgram('tool', '/', `/nowhere:${first}:${second}`)).toEqual({ status: 'found', path: join(first, 'tool') })
  expect(await resolveProgram('tool', '/', '/nowhere')).toMatchObject({ status: 'not-found' })
})

test('PROC-8 a name with a slash and a relative PATH count from the working folder', async () => {
  const folder = folderWith('tool', '#!/bin/sh\n', 0o755)
  expect(await resolveProgram('./tool', folder, '')).toEqual({ status: 'found', path: join(folder, 'tool') })
  expect(await resolveProgram('tool', folder, '.')).toEqual({ status: 'found', path: join(folder, 'tool') })
  expect(await resolveProgram('./missing', folder, folder)).toMatchObject({ status: 'not-found' })
})

test('PROC-8 a file without leave to run, and a folder, are not executable; a later program of that name is still found', async () => {
  const plain = folderWith('tool', '#!/bin/sh\n', 0o644)
  mkdirSync(join(plain, 'folder'))
  expect(await resolveProgram('tool', '/', plain)).toMatchObject({ status: 'not-executable' })
  expect(await resolveProgram('./folder', plain, '')).toMatchObject({ status: 'not-executable' })
  const good = folderWith('tool', '#!/bin/sh\n', 0o755)
  expect(await resolveProgram('tool', '/', `${plain}:${good}`)).toEqual({ status: 'found', path: join(good, 'tool') })
})

test('PROC-8 a script whose interpreter is gone is not executable, and the message names the interpreter', async () => {
  const folder = folderWith('tool', '#!/nowhere/python3 -u\n', 0o755)
  const resolved = await resolveProgram('tool', '/', folder)
  expect(resolved).toMatchObject({ status: 'not-executable', message: expect.stringContaining('/nowhere/python3,') })
})
