import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { maxIterations } from '../guards/index.ts'
import { commandCheck } from '../checks/command-check.ts'
import { reportParsers } from '../checks/reports/index.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { folderWorkspace } from '../workspaces/folder-workspace.ts'
import { taskLoop } from '../loops/task/index.ts'
import type { Check } from '../checks/check.ts'
import { temporaryFolder } from '../../test/support/process-support.ts'
import { createLoop } from '../surfaces/library/create-loop.ts'
import { memoryWorkspace } from '../testing/memory-parts.ts'

describe('what a check reads besides the files', () => {
  it.each([true, false])(
    'GUARD-241 the work is all that was changed since it began, with a look before it: %s',
    async (baseline) => {
      const workspace = memoryWorkspace({ a: '0' })
      const seen: (string | undefined)[] = []
      const check: Check = {
        name: 'no leftovers',
        spec: { name: 'custom', v: 1, settings: { name: 'no leftovers' } },
        needs: ['workProduct'],
        run: async ({ workProduct, iteration }, context) => {
          await context.started()
          if (iteration > 0) seen.push(workProduct)
          return { status: 'failed', failures: [{ id: 'a', message: 'wrong', kind: 'assertion' }] }
        },
      }
      const loop = createLoop({
        loop: taskLoop({ goal: 'g', baseline }),
        guards: [maxIterations(3)],
        agent: {
          spec: { name: 'custom', v: 1, settings: {} },
          work: async ({ iteration }, context) => {
            await context.started()
            if (iteration === 1) workspace.files.set('first', 'TODO')
            if (iteration === 2) workspace.files.set('second', 'done')
            return { status: 'finished' }
          },
        },
        checks: [check],
        workspace,
        store: memoryStore(),
      })
      await loop.run('r')
      expect(seen).toHaveLength(3)
      expect(seen.every((text) => text?.includes('TODO'))).toBe(true)
      expect(seen.map((text) => text?.includes('second'))).toEqual([false, true, true])
    },
  )
})

describe('what a check runs is not there', () => {
  it('CHECK-64 it is found before any work, a person is asked, and nothing is spent', async () => {
    const { loop, worked } = loopWith({}, () => undefined)
    expect(await loop.run('r')).toMatchObject({ status: 'escalated' })
    expect(worked()).toBe(0)
  })

  it('CHECK-68 where a person says that making it is the work, it fails until it can run', async () => {
    const { loop, worked, briefs } = loopWith({}, (iteration, folder) => {
      if (iteration === 2) writeFileSync(join(folder, 'run.js'), '')
    })
    await loop.run('r')
    expect(await loop.run('r', { answer: { choice: 'make' } })).toMatchObject({ status: 'completed', iterations: 2 })
    expect(worked()).toBe(2)
    expect(briefs[0]).toContain('Cannot find module')
  })

  it('CHECK-66 an agent that takes it away fails the check, learns why and continues', async () => {
    const { loop, worked, briefs } = loopWith({ 'run.js': 'process.exit(1)' }, (iteration, folder) => {
      if (iteration === 1) rmSync(join(folder, 'run.js'))
      else writeFileSync(join(folder, 'run.js'), '')
    })
    expect(await loop.run('r')).toMatchObject({ status: 'completed', iterations: 2 })
    expect(worked()).toBe(2)
    expect(briefs[1]).toContain('Cannot find module')
  })
})

/** A loop whose check runs a file, in a folder with these files; `work` is what the agent does. */
function loopWith(files: Readonly<Record<string, string>>, work: (iteration: number, folder: string) => void) {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const briefs: string[] = []
  const loop = createLoop({
    loop: taskLoop({ goal: 'g' }),
    guards: [maxIterations(3)],
    agent: {
      spec: { name: 'custom', v: 1, settings: {} },
      work: async ({ iteration, brief }, context) => {
        await context.started()
        briefs.push(brief)
        work(iteration, folder)
        return { status: 'finished' }
      },
    },
    checks: [commandCheck({ name: 'tests', command: ['node', 'run.js'], parsers: reportParsers })],
    workspace: folderWorkspace({ path: folder }),
    store: memoryStore(),
  })
  return { loop, briefs, worked: () => briefs.length }
}
