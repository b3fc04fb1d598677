import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { PartSpec, RunConfig } from '../core/run-config.ts'
import { findProject } from '../settings/find-project.ts'
import { EXIT } from '../surfaces/cli/exit-codes.ts'
import { restore } from '../surfaces/cli/commands/restore.ts'
import { resume } from '../surfaces/cli/commands/resume.ts'
import { task } from '../surfaces/cli/commands/task.ts'
import { testProject } from '../../test/support/cli-project.ts'
import { placedConfig } from './placed-workspace.ts'

/** A project with a run that asks, and another place for the folder. */
async function asking(isGit: boolean) {
  const project = testProject({ isGit })
  const elsewhere = join(realpathSync(mkdtempSync(join(tmpdir(), 'pawl-elsewhere-'))), 'project')
  onTestFinished(() => {
    rmSync(join(elsewhere, '..'), { recursive: true, force: true })
    return project.remove()
  })
  const flags = { id: 'r', agentCommand: 'sh -c "echo more >>work.txt"', check: ['grep -q person work.txt'], maxIterations: '1' }
  expect(await task(project.look(), { ...flags, ask: false }, ['work'])).toBe(EXIT.waiting)
  await project.close()
  const there = () => ({ ...project.look(), project: findProject(elsewhere) })
  return { project, elsewhere, there }
}

function work(root: string): string {
  return readFileSync(join(root, 'work.txt'), 'utf8')
}

/** A codebase whose cache is in this project. */
function codebase(root: string): PartSpec {
  return { name: 'folder-codebase', v: 1, settings: { cachePath: join(root, '.pawl', 'code.db') } }
}

test.each([true, false])('SAFE-9 a copied project folder never changes the original (git: %s)', async (isGit) => {
  const { project, elsewhere, there } = await asking(isGit)
  cpSync(project.root, elsewhere, { recursive: true, verbatimSymlinks: true })
  expect(await restore(there(), 'r', '0', { yes: true })).toBe(EXIT.done)
  expect(work(elsewhere)).toBe('nothing yet\n')
  expect(await resume(there(), { ask: false, answer: 'continue' }, 'r')).toBe(EXIT.waiting)
  expect(work(elsewhere)).toBe('nothing yet\nmore\n')
  expect(work(project.root)).toBe('nothing yet\nmore\n')
})

test('SAFE-9 if nothing but its path is left of the original, the run is refused', async () => {
  const { project, elsewhere, there } = await asking(false)
  cpSync(project.root, elsewhere, { recursive: true, verbatimSymlinks: true })
  rmSync(join(project.root, '.pawl'), { recursive: true })
  const refused = { code: 'workspace.elsewhere' }
  await expect(restore(there(), 'r', '0', { yes: true })).rejects.toMatchObject(refused)
  await expect(resume(there(), { ask: false, answer: 'continue' }, 'r')).rejects.toMatchObject(refused)
  expect(work(project.root)).toBe('nothing yet\nmore\n')
})

test.each([true, false])('SAFE-10 a moved project is resumed where it is now (git: %s)', async (isGit) => {
  const { project, elsewhere, there } = await asking(isGit)
  renameSync(project.root, elsewhere)
  expect(await resume(there(), { ask: false, answer: 'continue' }, 'r')).toBe(EXIT.waiting)
  expect(work(elsewhere)).toBe('nothing yet\nmore\nmore\n')
  expect(existsSync(project.root)).toBe(false)
})

test('SAFE-9 research and other programs may work on a folder outside the project', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-placed-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [here, there] = ['here', 'there'].map((name) => join(folder, name)) as [string, string]
  for (const root of [here, there]) {
    mkdirSync(join(root, '.pawl'), { recursive: true })
    writeFileSync(join(root, '.pawl', 'pawl.db'), '')
  }
  const storePath = join(here, '.pawl', 'pawl.db')
  const placed = (path: string, more: Partial<RunConfig> = {}): unknown => {
    const workspace = { name: 'folder', v: 1, settings: { path } }
    return placedConfig({ workspace, ...more } as RunConfig, storePath).workspace.settings['path']
  }
  expect(placed(there, { codebase: codebase(here) })).toBe(there)
  expect(placed(there, { codebase: codebase(there) })).toBe(here)
  expect(placed(join(there, 'src'), { codebase: codebase(there) })).toBe(join(here, 'src'))
  expect(placed(there, { program: 'mine' })).toBe(there)
  expect(placed('.')).toBe('.')
  expect(placed(join(here, 'inner'))).toBe(join(here, 'inner'))
  expect(placed(there)).toBe(here)
  expect(() => placed(folder)).toThrow('so Pawl changes nothing there')
})
