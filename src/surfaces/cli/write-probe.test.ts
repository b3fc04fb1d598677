import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { testProject } from '../../../test/support/cli-project.ts'
import { installedVersion } from '../../agents/write-probe.ts'
import { task } from './commands/task.ts'
import { EXIT } from './exit-codes.ts'

/** A program as npm installs Claude Code. It does what it is asked if `canWrite`, and each call costs a dollar. */
function claudeIn(folder: string, canWrite: boolean, version = '2.1.325'): void {
  const place = join(folder, 'lib', 'node_modules', '@anthropic-ai', 'claude-code')
  for (const each of [place, join(folder, 'bin')]) mkdirSync(each, { recursive: true })
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name: '@anthropic-ai/claude-code', version }))
  const result = { type: 'result', subtype: 'success', is_error: false, result: 'Done.', session_id: 's-1', total_cost_usd: 1 }
  const write = canWrite ? 'echo ready > ready.txt; echo done > work.txt;' : ''
  const lines = ['#!/bin/sh', `cat > /dev/null; echo "$PWD" >> ${folder}/calls; ${write}`, `echo '${JSON.stringify(result)}'`]
  writeFileSync(join(place, 'cli.sh'), `${lines.join('\n')}\n`)
  chmodSync(join(place, 'cli.sh'), 0o755)
  rmSync(join(folder, 'bin', 'claude'), { force: true })
  symlinkSync(join(place, 'cli.sh'), join(folder, 'bin', 'claude'))
}

function stage(canWrite: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-probe-test-'))
  const project = testProject({ isGit: false })
  claudeIn(folder, canWrite)
  vi.stubEnv('PATH', `${join(folder, 'bin')}:${process.env['PATH']}`)
  vi.stubEnv('XDG_CONFIG_HOME', join(folder, 'config'))
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await project.remove()
    rmSync(folder, { recursive: true })
  })
  writeFileSync(join(project.root, 'pawl.yaml'), 'agent: claude\nchecks: [{ name: tests, command: grep -q done work.txt }]\n')
  const calls = () => (existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') : [])
  return { folder, project, calls }
}

test('BOX-14 an agent is asked once for each version to write a file, and that counts', async () => {
  const { folder, project, calls } = stage(true)
  const first = project.look({ json: true })
  expect(await task(first, { id: 'first', ask: false }, ['The file says done'])).toBe(EXIT.done)
  expect(first.documents).toMatchObject([{ costUsd: 2 }])
  expect(calls()).toHaveLength(2)
  expect(calls()[0]).not.toBe(project.root)
  writeFileSync(join(project.root, 'work.txt'), 'nothing\n')
  expect(await task(project.look({ json: true }), { id: 'second', ask: false }, ['The file says done'])).toBe(EXIT.done)
  expect(calls()).toHaveLength(3)
  claudeIn(folder, true, '2.2.0')
  writeFileSync(join(project.root, 'work.txt'), 'nothing\n')
  await task(project.look({ json: true }), { id: 'third', ask: false }, ['The file says done'])
  expect(calls()).toHaveLength(5)
})

test('BOX-15 an agent that cannot write is refused before any work, with what helps; --no-probe and probe: false skip it', async () => {
  const { project, calls } = stage(false)
  const refused = task(project.look(), { id: 'first', ask: false }, ['The file says done'])
  await expect(refused).rejects.toMatchObject({
    code: 'agent.cannot-write',
    message: expect.stringMatching(/permission_mode.*--no-probe/),
  })
  expect(calls()).toHaveLength(1)
  expect(await task(project.look(), { id: 'flag', ask: false, probe: false, maxIterations: '1' }, ['It says done'])).toBe(
    EXIT.waiting,
  )
  expect(calls()).toHaveLength(2)
  writeFileSync(
    join(project.root, 'pawl.yaml'),
    'agent: claude\nprobe: false\nchecks: [{ name: tests, command: grep -q done work.txt }]\n',
  )
  await task(project.look(), { id: 'file', ask: false, maxIterations: '1' }, ['It says done'])
  expect(calls()).toHaveLength(3)
})

test('BOX-24 every agent that may have to write is asked, each once', async () => {
  const { project, calls } = stage(true)
  const agents = 'agents: { second: { driver: claude, permission_mode: full }, third: { driver: claude } }'
  const file = `agent: claude\nfallback: [second, third]\n${agents}\nchecks: [{ name: tests, command: grep -q done work.txt }]\n`
  writeFileSync(join(project.root, 'pawl.yaml'), file)
  expect(await task(project.look(), { id: 'first', ask: false }, ['The file says done'])).toBe(EXIT.done)
  // The third is the same program in the same mode as the first.
  expect(calls().filter((folder) => folder !== project.root)).toHaveLength(2)
})

test('BOX-14 a program of no known package has no version, so it is not asked', async () => {
  const { folder } = stage(true)
  expect(await installedVersion(join(folder, 'bin', 'claude'), '@anthropic-ai/claude-code')).toBe('2.1.325')
  expect(await installedVersion(join(folder, 'bin', 'claude'), '@openai/codex')).toBeUndefined()
  expect(await installedVersion(process.execPath, '@anthropic-ai/claude-code')).toBeUndefined()
})
