import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { currentProcessIdentity, identityOf } from '../process/process-identity.ts'
import { makeReportFolder, removeOrphanedReportFolders } from './report-folder.ts'

const made: string[] = []
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function folderOf(owner?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-report-'))
  made.push(folder)
  if (owner !== undefined) writeFileSync(join(folder, 'owner.json'), owner)
  return folder
}

test('AGENT-220 what a killed process left behind is removed, and nothing else', async () => {
  const child = spawn('sleep', ['60'], { stdio: 'ignore', env: { PATH: process.env['PATH'] } })
  const killed = JSON.stringify(identityOf(child.pid as number))
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
  const left = folderOf(killed)
  const kept = [
    folderOf(JSON.stringify(currentProcessIdentity())),
    folderOf(JSON.stringify({ ...currentProcessIdentity(), host: 'another-host' })),
    folderOf('{"pid":'),
    folderOf(),
  ]
  await removeOrphanedReportFolders()
  expect(existsSync(left)).toBe(false)
  expect(kept.map((folder) => existsSync(folder))).toEqual([true, true, true, true])
})

test('AGENT-220 a fresh folder says whose it is, so that the next start can tell', async () => {
  const folder = await makeReportFolder()
  made.push(folder)
  expect(existsSync(join(folder, 'owner.json'))).toBe(true)
})
