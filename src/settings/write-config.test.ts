import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeConfig } from './config-text.ts'

let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-write-'))
  path = join(folder, 'pawl.yaml')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const read = (name: string) => readFileSync(join(folder, name), 'utf8')

test('INIT-4 a new file is written, and written again it is unchanged', async () => {
  expect(await writeConfig(path, 'one', false)).toEqual({ status: 'written' })
  expect(await writeConfig(path, 'one', false)).toEqual({ status: 'unchanged' })
  expect(await writeConfig(path, 'one', true)).toEqual({ status: 'unchanged' })
  expect(readdirSync(folder)).toEqual(['pawl.yaml'])
})

test('INIT-4 another file is left as it is without force', async () => {
  writeFileSync(path, 'mine')
  expect(await writeConfig(path, 'new', false)).toEqual({ status: 'kept' })
  expect(read('pawl.yaml')).toBe('mine')
  expect(readdirSync(folder)).toEqual(['pawl.yaml'])
})

test('INIT-5 with force every old file is kept, none over another', async () => {
  writeFileSync(path, 'first')
  chmodSync(path, 0o600)
  expect(await writeConfig(path, 'second', true)).toEqual({ status: 'written', backup: `${path}.bak` })
  expect(await writeConfig(path, 'third', true)).toEqual({ status: 'written', backup: `${path}.bak2` })
  writeFileSync(path, 'first')
  expect(await writeConfig(path, 'third', true)).toEqual({ status: 'written', backup: `${path}.bak` })
  expect([read('pawl.yaml'), read('pawl.yaml.bak'), read('pawl.yaml.bak2')]).toEqual(['third', 'first', 'second'])
  expect(statSync(`${path}.bak`).mode & 0o777).toBe(0o600)
})

test('INIT-6 if it cannot be written, the error says where and why', async () => {
  mkdirSync(path)
  await expect(writeConfig(path, 'x', true)).rejects.toMatchObject({
    code: 'init.not-written',
    message: expect.stringContaining(path),
  })
  await expect(writeConfig(join(folder, 'none', 'pawl.yaml'), 'x', false)).rejects.toMatchObject({ code: 'init.not-written' })
})
