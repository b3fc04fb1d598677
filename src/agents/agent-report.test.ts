import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { currentProcessIdentity, identityOf } from '../process/process-identity.ts'
import { makeOwnedFolder, removeOrphanedFolders } from '../process/owned-folder.ts'
import { openAgentReportFile, readAgentReport } from './agent-report.ts'

test('AGENT-5 every field of a report is read', () => {
  const report = {
    costUsd: 0.25,
    tokens: 1200,
    summary: 'Done.',
    session: 'abc',
    fault: 'provider-limit',
    message: 'Wait.',
    fix: 'Nothing to do.',
    retryAt: '2026-11-16T10:00:00Z',
  }
  expect(readAgentReport(JSON.stringify(report))).toEqual({
    report: { ...report, retryAt: Date.parse(report.retryAt) },
    problems: [],
  })
  for (const retryAt of ['1790000000000', '1790000000']) {
    expect(readAgentReport(`{"retryAt": ${retryAt}, "mine": [1], "summary": null}`)).toEqual({
      report: { retryAt: 1_790_000_000_000 },
      problems: [],
    })
  }
})

test.each([
  ['{"costUsd": -1, "tokens": 3}', { tokens: 3, isUsagePartial: true }, 'costUsd'],
  ['{"costUsd": 1e308}', { isUsagePartial: true }, 'costUsd must be a number from 0 to 1,000,000'],
  ['{"tokens": 1.5}', { isUsagePartial: true }, 'tokens'],
  ['{"tokens": 1e13}', { isUsagePartial: true }, 'tokens must be a whole number from 0 to 1,000,000,000,000'],
  ['{"fault": "gremlins", "message": "x"}', { message: 'x' }, 'fault'],
  ['{"retryAt": "tomorrow"}', {}, 'retryAt'],
  ['{"summary": {}}', {}, 'summary'],
  ['{"summary": "cut', {}, 'JSON'],
  ['[1]', {}, 'object'],
  ['null', {}, 'object'],
])('AGENT-5 what is wrong in %s is named, and the rest is used', (text, report, problem) => {
  expect(readAgentReport(text)).toEqual({ report, problems: [expect.stringContaining(problem)] })
})

test('AGENT-5 no file and an empty file are no report and no problem; a huge one, a folder and a pipe are a problem', async () => {
  const file = await openAgentReportFile()
  expect(await file.read()).toEqual({ report: {}, problems: [] })
  writeFileSync(file.path, ' \n')
  expect(await file.read()).toEqual({ report: {}, problems: [] })
  writeFileSync(file.path, `{"summary": "${'x'.repeat(100_000)}"}`)
  expect(await file.read()).toEqual({ report: {}, problems: [expect.stringContaining('longer')] })
  await file.remove()
  expect(existsSync(dirname(file.path))).toBe(false)
  const other = await openAgentReportFile()
  mkdirSync(other.path)
  expect(await other.read()).toEqual({ report: {}, problems: [expect.stringContaining('regular')] })
  await other.remove()
  const pipe = await openAgentReportFile()
  execFileSync('mkfifo', [pipe.path])
  expect(await pipe.read()).toEqual({ report: {}, problems: [expect.stringContaining('regular')] })
  await pipe.remove()
})

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
  await removeOrphanedFolders()
  expect(existsSync(left)).toBe(false)
  expect(kept.map((folder) => existsSync(folder))).toEqual([true, true, true, true])
})

test('AGENT-220 a fresh folder says whose it is, so that the next start can tell', async () => {
  const folder = await makeOwnedFolder()
  made.push(folder)
  expect(existsSync(join(folder, 'owner.json'))).toBe(true)
})
