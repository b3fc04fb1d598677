import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { verifyChain } from '../../../journal/hash-chain.ts'
import { exportRun } from './export.ts'
import { testProject, type TestProject } from '../../../../test/support/cli-project.ts'

let project: TestProject

beforeAll(async () => {
  project = testProject({ isGit: false })
  await project.seed({ run: 'good', failing: [3, 1, 0] })
})
afterAll(() => project.remove())

it('CLI-295 prints the sealed events as JSON lines that anyone can verify', async () => {
  const look = project.look()
  expect(await exportRun(look, 'good')).toBe(0)
  expect(verifyChain(look.out.map((line) => JSON.parse(line)))).toMatchObject({ ok: true, seq: look.out.length })
})

it('CLI-295 json has the run, its events and its view in one document', async () => {
  const look = project.look({ json: true })
  await exportRun(look, 'good', { format: 'json' })
  expect(look.documents).toEqual([
    { run: 'good', events: expect.any(Array), view: expect.objectContaining({ status: 'completed' }) },
  ])
})

it('CLI-296 writes a file, never over one that is there unless forced', async () => {
  const out = join(project.root, '.pawl', 'report.md')
  const look = project.look()
  expect(await exportRun(look, 'good', { format: 'markdown', out })).toBe(0)
  expect(readFileSync(out, 'utf8')).toContain('# good\n\n> Login returns a numeric userId')
  expect(look.out).toEqual([expect.stringContaining(out)])
  writeFileSync(out, 'mine')
  await expect(exportRun(look, 'good', { out })).rejects.toMatchObject({ code: 'usage.file-exists' })
  expect(readFileSync(out, 'utf8')).toBe('mine')
  expect(await exportRun(look, 'good', { out, force: true })).toBe(0)
  expect(readFileSync(out, 'utf8').split('\n').at(-2)).toContain('run.completed')
})

it('CLI-296 a bad format, a missing folder and Markdown as JSON are each refused with a sentence', async () => {
  await expect(exportRun(project.look(), 'good', { format: 'xml' })).rejects.toMatchObject({ code: 'usage.format' })
  await expect(exportRun(project.look({ json: true }), 'good', { format: 'markdown' })).rejects.toMatchObject({
    code: 'usage.format',
  })
  await expect(exportRun(project.look(), 'good', { out: join(project.root, 'no', 'file') })).rejects.toMatchObject({
    code: 'usage.no-folder',
  })
})
