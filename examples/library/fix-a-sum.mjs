// A whole loop as a library: a real git repository, a real program as the agent, a real check, a durable journal.
// Run it with: node examples/library/fix-a-sum.mjs
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLoop } from 'pawl'
import { commandAgent } from 'pawl/agents/command'
import { commandCheck } from 'pawl/checks/command'
import { budget, circuitBreaker, maxIterations } from 'pawl/guards'
import { taskLoop } from 'pawl/loops/task'
import { sqliteStore } from 'pawl/stores/sqlite'
import { gitWorkspace } from 'pawl/workspaces/git'

const path = mkdtempSync(join(tmpdir(), 'pawl-example-'))
execFileSync('git', ['init', '--quiet', path])
writeFileSync(join(path, 'sum.txt'), '2 + 2 = 3\n')

// An agent with little talent: it adds one each time. Any program that reads a brief on standard input will do.
const agent = `brief=$(cat); now=$(sed 's/.*= //' sum.txt); echo "2 + 2 = $((now + 1))" > sum.txt; echo "I was told: $brief" | head -n 2`
const store = sqliteStore({ path: join(path, '.pawl', 'pawl.db') })
const loop = createLoop({
  loop: taskLoop({ goal: 'sum.txt says five' }),
  guards: [maxIterations(1), budget({ durationMsMax: 60_000 }), circuitBreaker()],
  agent: commandAgent({ command: agent, shell: true, name: 'counter' }),
  checks: [commandCheck({ name: 'is five', command: ['grep', '-q', '= 5', 'sum.txt'] })],
  workspace: gitWorkspace({ path }),
  store,
})

let outcome = await loop.run('fix-sum')
assert.equal(outcome.status, 'escalated') // one iteration was not enough, so it asks
console.log(
  outcome.question.text,
  outcome.question.options.map((option) => option.label),
)

await loop.answer('fix-sum', { choice: 'continue', note: 'One more.' })
outcome = await loop.run('fix-sum') // running a known id is resuming it
assert.equal(outcome.status, 'completed')
assert.equal(outcome.iterations, 2)
assert.equal(readFileSync(join(path, 'sum.txt'), 'utf8'), '2 + 2 = 5\n')
console.log(`Done after ${outcome.iterations} iterations: ${outcome.message}`)

await store.close()
rmSync(path, { recursive: true, force: true })
