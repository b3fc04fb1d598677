import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { testProject } from '../../../../test/support/cli-project.ts'
import { trust } from './trust.ts'

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-trust-'))
  vi.stubEnv('XDG_CONFIG_HOME', folder)
  for (const name of ['CLAUDECODE', 'CLAUDE_CODE_SESSION_ID', 'CODEX_THREAD_ID', 'CODEX_SANDBOX']) vi.stubEnv(name, '')
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
  })
})

function project() {
  const made = testProject({ isGit: false })
  onTestFinished(() => made.remove())
  return made
}

test('TRUST-1 a person allows commands for a project, lists them and takes them back', async () => {
  const here = project()
  const live = here.look({ live: true })
  await trust(live, {}, ['npm test', ' npm run lint '])
  await trust(live, {}, ['npm test'])
  await trust(live, { remove: true }, ['npm test'])
  const listed = here.look({ json: true })
  await trust(listed, {}, [])
  expect(listed.documents).toEqual([{ project: here.root, folder: false, commands: ['npm run lint'] }])
  const elsewhere = project().look({ json: true })
  await trust(elsewhere, {}, [])
  expect(elsewhere.documents).toMatchObject([{ commands: [] }])
  await expect(trust(live, { remove: true }, ['npm test'])).rejects.toThrow("isn't allowed in this project")
})

test('TRUST-2 neither an agent nor a script can allow a command', async () => {
  const here = project()
  await expect(trust(here.look(), {}, ['npm test'])).rejects.toThrow('This is no terminal')
  vi.stubEnv('CLAUDECODE', '1')
  await expect(trust(here.look({ live: true }), {}, ['npm test'])).rejects.toThrow('CLAUDECODE says that an agent runs this')
})
