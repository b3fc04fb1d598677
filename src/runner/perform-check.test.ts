import { describe, expect, it } from 'vitest'
import { maxIterations } from '../core/guards/index.ts'
import { memoryStore } from '../drivers/stores/memory-store.ts'
import { taskLoop } from '../loops/task/index.ts'
import type { Check } from '../ports/check.ts'
import { createLoop } from '../surfaces/library/create-loop.ts'
import { memoryWorkspace } from '../testing/memory-workspace.ts'

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
