import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { commandAgent } from './command-agent.ts'
import { removeRunSessions, runsWithSessions, transcriptsOf, withRunSessions, withSessionsIn } from './sessions.ts'

function stage() {
  const base = mkdtempSync(join(tmpdir(), 'pawl-sessions-test-'))
  onTestFinished(() => rmSync(base, { recursive: true }))
  const home = join(base, 'home')
  mkdirSync(join(home, '.claude', 'projects'), { recursive: true })
  writeFileSync(join(home, '.claude', '.credentials.json'), 'old', { mode: 0o600 })
  writeFileSync(join(home, '.claude', 'projects', 'a.jsonl'), '12345')
  writeFileSync(join(home, '.claude.json'), '{}')
  mkdirSync(join(base, 'run'))
  return { base, home, folder: join(realpathSync(base), 'run') }
}

test('BOX-25 an agent gets its login in the run’s folder, one that it renews is kept, and a copied file never comes back', async () => {
  const { home, folder } = stage()
  await withSessionsIn(folder, 'claude', { HOME: home }, async ({ CLAUDE_CONFIG_DIR: there = '' }) => {
    expect(lstatSync(join(there, '.credentials.json')).isSymbolicLink()).toBe(true)
    // As programs replace a file: a new one takes its name.
    writeFileSync(join(there, 'new'), 'renewed')
    renameSync(join(there, 'new'), join(there, '.credentials.json'))
    writeFileSync(join(there, '.claude.json'), '{ "changed": true }')
    mkdirSync(join(there, 'projects'))
    writeFileSync(join(there, 'projects', 'b.jsonl'), 'transcript')
  })
  expect(readFileSync(join(home, '.claude', '.credentials.json'), 'utf8')).toBe('renewed')
  expect(readFileSync(join(home, '.claude.json'), 'utf8')).toBe('{}')
  // The second time everything is there already.
  const variables = await withSessionsIn(folder, 'claude', { HOME: home }, async (set) => set)
  expect(readFileSync(join(folder, 'claude', '.credentials.json'), 'utf8')).toBe('renewed')
  expect(readFileSync(join(folder, 'claude', '.claude.json'), 'utf8')).toContain('changed')
  expect(variables).toEqual({ CLAUDE_CONFIG_DIR: join(folder, 'claude') })
})

test('BOX-25 links that an agent puts there lead nothing of Pawl’s elsewhere', async () => {
  const { base, home, folder } = stage()
  const elsewhere = join(base, 'elsewhere')
  mkdirSync(elsewhere)
  writeFileSync(join(elsewhere, '.credentials.json'), 'SECRET')
  await withSessionsIn(folder, 'claude', { HOME: home }, async ({ CLAUDE_CONFIG_DIR: there = '' }) => {
    rmSync(there, { recursive: true })
    symlinkSync(elsewhere, there)
  })
  expect(readFileSync(join(home, '.claude', '.credentials.json'), 'utf8')).toBe('old')
  expect(readFileSync(join(elsewhere, '.credentials.json'), 'utf8')).toBe('SECRET')
  await expect(withSessionsIn(folder, 'claude', { HOME: home }, async () => 1)).rejects.toThrow('is a link')
  rmSync(join(folder, 'claude'))
  // The place of the login is a link to another file.
  await withSessionsIn(folder, 'claude', { HOME: home }, async ({ CLAUDE_CONFIG_DIR: there = '' }) => {
    rmSync(join(home, '.claude', '.credentials.json'))
    symlinkSync(join(elsewhere, '.credentials.json'), join(home, '.claude', '.credentials.json'))
    rmSync(join(there, '.credentials.json'))
    writeFileSync(join(there, '.credentials.json'), 'planted')
  })
  expect(readFileSync(join(elsewhere, '.credentials.json'), 'utf8')).toBe('SECRET')
})

test('BOX-25 transcripts are counted without reading them', async () => {
  const { home } = stage()
  const path = join(home, '.claude', 'projects')
  expect(await transcriptsOf('claude', { HOME: home })).toEqual([{ path, files: 1, bytes: 5 }])
  expect(await transcriptsOf('unknown', { HOME: home })).toEqual([])
})

test('BOX-25 the folder of a run is made for the agent, and removed', async () => {
  const { base } = stage()
  vi.stubEnv('XDG_STATE_HOME', join(base, 'state'))
  onTestFinished(() => void vi.unstubAllEnvs())
  const store = join(base, 'pawl.db')
  const agent = withRunSessions(commandAgent({ command: ['true'] }), store)
  const context = { signal: new AbortController().signal, started: async () => undefined, progress: () => undefined }
  await agent.work({ run: 'r', iteration: 1, role: 'coder', brief: '', cwd: base }, context)
  expect(await runsWithSessions(store)).toEqual(['r'])
  await removeRunSessions(store, 'r')
  expect(await runsWithSessions(store)).toEqual([])
})
