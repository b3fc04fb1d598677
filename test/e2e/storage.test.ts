import { spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeProject } from './project.ts'

const isRoot = process.getuid?.() === 0
const TASK = ['task', 'good', '--id', 'store', '--check', 'grep -q good a.txt', '--agent-command']

test('RUN-122 a store that cannot be made is one clear error with exit code 1, and nothing is started', async (context) => {
  const project = await makeProject(context)
  await writeFile(join(project.root, '.pawl'), 'a file')
  const agent = await project.script('agent.sh', 'echo x >"$NOTES/begun"')
  const failed = await project.pawl(...TASK, agent)
  expect(failed).toMatchObject({ code: 1, stdout: '' })
  expect(failed.stderr).toMatch(/^pawl: .*pawl\.db cannot be a file: .*choose another path\..*\n$/)
  await expect(project.noted.call(project, 'begun')).rejects.toThrow()
})
