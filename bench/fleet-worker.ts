import { setTimeout as sleep } from 'node:timers/promises'
import type { Agent } from '../src/agents/agent.ts'
import type { Check } from '../src/checks/check.ts'
import { type Definition, memoizedDefinition } from '../src/core/definition.ts'
import { guardFrom } from '../src/guards/guard-from.ts'
import { work } from '../src/engine/worker.ts'
import { builtInFolds } from '../src/loops/evolve.ts'
import { taskLoop } from '../src/loops/task/index.ts'
import { systemClock } from '../src/process/clock.ts'
import { machineProcesses } from '../src/process/processes.ts'
import { memoryWorkspace } from '../src/testing/memory-parts.ts'
import { storeAt } from '../test/fleet/store-at.ts'

/*
 * One of the workers of `fleet-2000`: drives all loops that it gets, and prints how long each claim took. What agents and checks cost is
 * not measured: an agent takes 50 ms of waiting, and files are in memory.
 */
const [address = '', slots = '1'] = process.argv.slice(2)
const store = storeAt(address, 60_000)
const claims: number[] = []
const timed = {
  ...store,
  queue: {
    ...store.queue,
    take: async (...words: Parameters<typeof store.queue.take>) => {
      const startedAt = performance.now()
      const taken = await store.queue.take(...words)
      if (taken) claims.push(performance.now() - startedAt)
      return taken
    },
  },
}

const agent: Agent = {
  spec: { name: 'bench', v: 1, settings: {} },
  work: async (_request, context) => {
    await context.started()
    await sleep(50)
    return { status: 'finished' }
  },
}
const check: Check = {
  name: 'tests',
  spec: { name: 'bench', v: 1, settings: { name: 'tests' } },
  run: async (_request, context) => {
    await context.started()
    return { status: 'passed', exitCode: 0 }
  },
}
const definition: Definition = memoizedDefinition({
  loop: ({ settings }) => taskLoop(settings as never),
  guard: (spec) => guardFrom(spec),
})

await work(
  {
    store: timed,
    processes: machineProcesses,
    clock: systemClock,
    folds: builtInFolds,
    partsOf: async (_run, { given }) => ({
      definition,
      config: given,
      agent,
      checks: [check],
      workspace: memoryWorkspace(),
      store: timed,
      clock: systemClock,
      processes: machineProcesses,
    }),
  },
  { slots: Number(slots), labels: [], isOnce: true, signal: AbortSignal.timeout(9 * 60_000) },
)
await store.close()
process.stdout.write(JSON.stringify(claims))
