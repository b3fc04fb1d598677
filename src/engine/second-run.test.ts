import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/process-support.ts'
import { commandCheck } from '../checks/command-check.ts'
import type { FlakyPolicy } from '../core/run-config.ts'
import { flakyTests, needsSecondRun } from '../core/measures/flaky.ts'
import { flakyNames, initialLedger, ledgerWith } from '../core/measures/ledger.ts'
import { builtInFolds } from '../loops/evolve.ts'
import { taskLoop } from '../loops/task/index.ts'
import { maxIterations } from '../guards/index.ts'
import { runRecord } from '../evidence/run-record.ts'
import { statistics } from '../evidence/statistics.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { createLoop } from '../surfaces/library/create-loop.ts'
import { folderWorkspace } from '../workspaces/folder-workspace.ts'
import { loadState } from './session.ts'

describe('a test that fails now and passed before', () => {
  it('FLAKY-1 is run again once; one that differs is flaky, is named, and is no new failure', async () => {
    const { loop, briefs, endings, runs } = flakyLoop([
      { goal: false, steady: true },
      { goal: false, steady: false },
      { goal: false, steady: true },
      { goal: true, steady: true },
    ])
    expect(await loop.run('r')).toMatchObject({ status: 'completed', iterations: 2 })
    expect(runs()).toBeGreaterThanOrEqual(4)
    const [, second] = await endings()
    expect(second).toMatchObject({ type: 'check.failed', data: { flaky: ['steady'], firstRun: { exitCode: 1 } } })
    expect(second?.data.failures.map(({ id }) => id)).toEqual(['goal'])
    expect(briefs[1]).toContain('# Flaky tests')
    expect(briefs[1]).toContain('"steady"')
    expect(briefs[1]).not.toContain('[new]')
    expect(briefs[1]).not.toContain('broke')
  })

  it('FLAKY-2 is not run again if nothing regressed, or if it never passed', async () => {
    const { loop, runs } = flakyLoop([
      { goal: false, steady: true },
      { goal: false, steady: true },
      { goal: false, steady: true },
    ])
    await loop.run('r')
    expect(runs()).toBe(4)
  })

  it('FLAKY-3 counts as broken where both runs say so', async () => {
    const { loop, briefs, endings } = flakyLoop([
      { goal: false, steady: true },
      { goal: false, steady: false },
      { goal: false, steady: false },
      { goal: true, steady: true },
    ])
    await loop.run('r')
    const [, second] = await endings()
    expect(second?.data.flaky).toBeUndefined()
    expect(second?.data.firstRun).toBeDefined()
    expect(briefs[1]).toContain('[new] steady')
    expect(briefs[1]).not.toContain('# Flaky tests')
  })
})

const SECOND_RUN = [
  { goal: false, steady: true },
  { goal: true, steady: false },
  { goal: true, steady: true },
]

describe('a pass that needed a second run', () => {
  it('FLAKY-4 says so', async () => {
    const { loop } = flakyLoop(SECOND_RUN)
    const result = await loop.run('r')
    const message = expect.stringContaining('It took a second run: "steady" is flaky.')
    expect(result).toMatchObject({ status: 'completed', message })
  })

  it('FLAKY-5 is asked about with `flaky: ask`, and accepting it ends the run', async () => {
    const { loop } = flakyLoop(SECOND_RUN, { flaky: 'ask' })
    const text = expect.stringContaining('"steady" passed and failed on the same files')
    expect(await loop.run('r')).toMatchObject({ status: 'escalated', question: { code: 'flaky', text } })
    expect(await loop.run('r', { answer: { choice: 'accept' } })).toMatchObject({ status: 'completed' })
  })
})

const FAILS_AGAIN = [
  { goal: false, steady: true },
  { goal: false, steady: false },
  { goal: false, steady: true },
  { goal: true, steady: false },
]

describe('a test that is known to be flaky', () => {
  it('FLAKY-6 keeps the check red if it fails twice, and is held against nobody', async () => {
    const { loop, state, briefs } = flakyLoop(FAILS_AGAIN, { iterations: 3 })
    const changes = [{ path: 'code.js', lines: ['-module.exports = 2', '+module.exports = 3'] }]
    expect(await loop.run('r')).toMatchObject({ status: 'escalated', iterations: 3, question: { changes } })
    const { measures, recent } = await state()
    expect(flakyNames(measures.ledger)).toEqual(['steady'])
    expect(recent.at(-1)?.failures).toMatchObject([{ id: 'steady', isFlaky: true }])
    expect(measures.sameFailure.count).toBe(0)
    expect(measures.betterScore.failures).toBe(0)
    expect(recent.flatMap(({ ledger }) => [...ledger.broken, ...ledger.flapping])).toEqual([])
    expect(briefs[2]).toContain('[flaky] steady')
  })

  it('FLAKY-7 no longer counts with `flaky: ignore`', async () => {
    const { loop } = flakyLoop(FAILS_AGAIN, { flaky: 'ignore', iterations: 3 })
    expect(await loop.run('r')).toMatchObject({ status: 'completed', iterations: 2 })
  })

  it('FLAKY-8 is in the statistics, with the tests, files and patterns of blocked runs', async () => {
    const { loop, store } = flakyLoop(FAILS_AGAIN.slice(0, 3), { iterations: 2 })
    await loop.run('r')
    const record = runRecord(await store.read('r'))
    const { flaky, blocking } = statistics(record ? [record] : [])
    expect(flaky).toEqual([{ name: 'steady', runs: 1 }])
    expect(blocking).toMatchObject({ runs: 1, tests: [{ name: 'goal', runs: 1 }] })
  })
})

describe('a red in a fresh copy', () => {
  const PASSED = [
    { goal: false, steady: true },
    { goal: true, steady: true },
  ]

  it('FLAKY-9 is run again once before it counts, and the proof names the flaky test', async () => {
    const { loop, store } = flakyLoop([...PASSED, { goal: true, steady: false }, { goal: true, steady: true }])
    const message = expect.stringContaining('It took a second run: "steady" is flaky.')
    expect(await loop.run('r')).toMatchObject({ status: 'completed', iterations: 1, message })
    const proofs = (await store.read('r')).flatMap((event) => (event.type === 'proof.made' ? [event.data] : []))
    expect(proofs).toMatchObject([{ level: 'red-to-green', findings: [], flaky: [{ check: 'tests', tests: ['steady'] }] }])
  })

  it('FLAKY-10 counts where both runs say so', async () => {
    const { loop, store } = flakyLoop([...PASSED, { goal: true, steady: false }, { goal: true, steady: false }, ...PASSED], {
      iterations: 1,
    })
    await loop.run('r')
    const proofs = (await store.read('r')).flatMap((event) => (event.type === 'proof.made' ? [event.data] : []))
    expect(proofs[0]?.findings.length).toBeGreaterThan(0)
    expect(proofs[0]?.flaky).toBeUndefined()
  })
})

describe('what needs no second run', () => {
  const seen = { passed: false, failures: [{ id: 'a', message: '', kind: 'assertion' }] } as const
  const ledger = ledgerWith(initialLedger, 'tests', 0, {
    counts: { passed: 1, failed: 0, skipped: 0 },
    tests: { changed: [['a', 'passed']], gone: [] },
  })

  it('FLAKY-11 compilers, linters and checks that ran out of time would say the same again', () => {
    expect(needsSecondRun(ledger, 'tests', seen)).toBe(true)
    for (const kind of ['compile', 'lint', 'environment'] as const)
      expect(needsSecondRun(ledger, 'tests', { ...seen, failures: [{ id: 'a', message: '', kind }] })).toBe(false)
    expect(needsSecondRun(ledger, 'tests', { ...seen, failures: [{ id: 'tests', message: '', kind: 'timeout' }] })).toBe(false)
    expect(needsSecondRun(ledger, 'tests', { ...seen, failures: [{ id: 'tests', message: '', kind: 'unknown' }] })).toBe(true)
    expect(needsSecondRun(ledger, 'tests', { ...seen, failures: [{ id: 'new', message: '', kind: 'assertion' }] })).toBe(false)
    expect(needsSecondRun(initialLedger, 'tests', seen)).toBe(false)
  })

  it('FLAKY-12 a test in a file that did not load in one of two runs has not passed there', () => {
    const broken = { passed: false, failures: [{ id: 'a.test.ts', file: 'a.test.ts', message: '', kind: 'exception' }] } as const
    const counts = { passed: 0, failed: 1, skipped: 0 }
    expect(flakyTests(seen, { ...broken, counts })).toEqual([])
    expect(flakyTests(seen, { passed: true, failures: [] })).toEqual(['a'])
  })
})

interface Outcomes {
  readonly goal: boolean
  readonly steady: boolean
}

/** A loop whose check gives these outcomes one run after another, the last one ever after; the agent changes a file each time. */
function flakyLoop(outcomes: readonly Outcomes[], { flaky, iterations = 3 }: { flaky?: FlakyPolicy; iterations?: number } = {}) {
  const [folder, outside] = [temporaryFolder(), temporaryFolder()]
  const counter = join(outside, 'runs')
  writeFileSync(counter, '')
  writeFileSync(join(outside, 'outcomes.json'), JSON.stringify(outcomes))
  writeFileSync(join(folder, 'run.js'), scriptFor(outside))
  const briefs: string[] = []
  const store = memoryStore()
  const loop = createLoop({
    loop: taskLoop({ goal: 'g' }),
    guards: [maxIterations(iterations)],
    agent: {
      spec: { name: 'custom', v: 1, settings: {} },
      work: async ({ iteration, brief }, context) => {
        await context.started()
        briefs.push(brief)
        writeFileSync(join(folder, 'code.js'), `module.exports = ${iteration}`)
        return { status: 'finished' }
      },
    },
    checks: [commandCheck({ name: 'tests', command: ['node', 'run.js'] })],
    workspace: folderWorkspace({ path: folder }),
    store,
    ...(flaky ? { proof: { flaky } } : {}),
  })
  const endings = async () =>
    (await store.read('r')).flatMap((event) => (event.type === 'check.passed' || event.type === 'check.failed' ? [event] : []))
  const state = async () => {
    const found = await loadState(store, 'r', builtInFolds)
    if (!found) throw new Error('There is no run.')
    return found
  }
  return { loop, briefs, store, endings, state, runs: () => readFileSync(counter, 'utf8').length }
}

function scriptFor(outside: string): string {
  return `
const fs = require('node:fs')
const path = require('node:path')
const folder = ${JSON.stringify(outside)}
fs.appendFileSync(path.join(folder, 'runs'), '.')
const outcomes = JSON.parse(fs.readFileSync(path.join(folder, 'outcomes.json'), 'utf8'))
const run = fs.readFileSync(path.join(folder, 'runs'), 'utf8').length
const now = outcomes[Math.min(run, outcomes.length) - 1]
console.log('TAP version 13\\n1..2')
Object.entries(now).forEach(([name, ok], index) => console.log(\`\${ok ? 'ok' : 'not ok'} \${index + 1} - \${name}\`))
process.exit(Object.values(now).every(Boolean) ? 0 : 1)
`
}
