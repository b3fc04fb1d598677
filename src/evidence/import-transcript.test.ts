import { describe, expect, it } from 'vitest'
import type { Policy } from './backtest/policy.ts'
import { replay, statesOf } from './backtest/replay.ts'
import type { ReplayableLoop } from './backtest/recorded-loop.ts'
import { isUnreported, storedLoop } from './backtest/stored-loop.ts'
import { circuitBreaker, emptyIterations, repeatedAction } from '../guards/index.ts'
import type { TranscriptTurn } from './transcripts/transcript.ts'
import { memoryDisk, memoryStore } from '../stores/memory-store.ts'
import { reportParsers } from '../checks/reports/index.ts'
import { verifyChain } from '../journal/hash-chain.ts'
import { machineProcesses } from '../process/processes.ts'
import { importTranscript } from './import-transcript.ts'

const TURNS = 300

/** Every tenth turn begins with a prompt, every third runs the tests, every third edits. */
function turnAt(index: number): TranscriptTurn {
  const at = 1_000_000 + index * 1000
  const isOk = index % 2 === 0
  const output = `TAP version 13\n${isOk ? 'ok' : 'not ok'} 1 - adds\n1..1\n# tests 1\n# pass ${isOk ? 1 : 0}\n# fail ${isOk ? 0 : 1}\n`
  const patch = `--- a/a.js\n+++ b/a.js\n@@\n-${index}\n+${index + 1}\n`
  const calls = [
    [{ name: 'Read', input: { index }, response: 'text' }],
    [{ name: 'Bash', input: {}, response: output, shell: { command: 'npm test', output, exitCode: isOk ? 0 : 1 } }],
    [{ name: 'Edit', input: { index }, response: 'done', edits: [{ path: 'a.js', change: 'modified' as const }], patch }],
  ][index % 3]
  const prompt = index % 10 === 0 ? { prompt: { text: `Go on ${index}.`, at: at - 500 } } : {}
  return { at, endedAt: at + 100, words: `turn ${index}`, calls: calls ?? [], tokens: 10, ...prompt }
}

function source(turnsMax: number, dies = false) {
  async function* turns() {
    for (let index = 0; index < turnsMax; index++) yield turnAt(index)
    if (dies) throw new Error('killed')
  }
  return { agent: 'claude', file: 'a.jsonl', turns: turns(), session: () => ({ id: 'session-1' }) }
}

const desk = (disk = memoryDisk()) => ({ store: memoryStore({ disk }), processes: machineProcesses, parsers: reportParsers })

/** One turn: it says something, or its tests pass, or fail. */
type Seen = 'says' | 'passes' | 'fails' | 'edits'

async function loopOf(
  turns: readonly Seen[],
): Promise<{ readonly isUnreported: boolean; readonly loop: ReplayableLoop | undefined }> {
  async function* given(): AsyncGenerator<TranscriptTurn> {
    for (const [index, seen] of turns.entries()) {
      const [says, tests, edits] = [0, seen === 'passes' ? 4 : 1, 2].map((each) => turnAt(each))
      const { calls = [] } = (seen === 'says' ? says : seen === 'edits' ? edits : tests) ?? {}
      yield { ...turnAt(index), calls }
    }
  }
  const parts = desk()
  await importTranscript({ ...source(0), turns: given() }, parts)
  const events = await parts.store.read('claude-session1')
  return { isUnreported: isUnreported(events), loop: storedLoop(events) }
}

function stopsOf(loop: ReplayableLoop | undefined, guards: Policy['guards']) {
  return loop && replay(loop, [{ name: 'one', guards }])
}

describe('an imported session as a loop to try policies on', () => {
  it('BACK-50 only turns whose tests failed count as failed, and the others stand for nothing', async () => {
    const breaker = [circuitBreaker({ failuresMax: 3 }), emptyIterations({ iterationsMin: 2, severity: 'trip' })]
    const waits = await loopOf(['says', 'says', 'says', 'says', 'fails', 'edits', 'says', 'fails', 'says', 'passes', 'says'])
    expect(waits.loop).toMatchObject({ outcome: 'solved', solvedAt: 10, iterations: { length: 11 } })
    expect(stopsOf(waits.loop, breaker)).toEqual([undefined])
    const fails = await loopOf(['says', 'fails', 'edits', 'fails', 'says', 'fails', 'says', 'says', 'passes'])
    expect(stopsOf(fails.loop, breaker)).toEqual([{ iteration: 6, guards: ['circuitBreaker'] }])
  })

  it('BACK-50 a turn without a report is a part of the one that ends with the next: its files and actions count there', async () => {
    const { loop } = await loopOf(['edits', 'says', 'fails', 'says'])
    const states = loop ? [...statesOf(loop)] : []
    expect(states.map(({ current }) => [current.number, current.ended?.verdict.failing])).toEqual([
      [3, undefined],
      [3, undefined],
      [3, 1],
      [4, undefined],
    ])
    expect(states[2]?.current.observed?.files.map(({ path }) => path)).toEqual(['a.js'])
    const same = await loopOf(['says', 'says', 'says', 'fails'])
    expect(stopsOf(same.loop, [repeatedAction({ repeatsMin: 3, severity: 'trip' })])).toEqual([
      { iteration: 3, guards: ['repeatedAction'] },
    ])
  })

  it('BACK-51 a session in which no tests were seen is no loop: nobody knows how it ended', async () => {
    expect(await loopOf(['says', 'edits', 'says'])).toEqual({ isUnreported: true, loop: undefined })
    expect((await loopOf(['says', 'fails'])).isUnreported).toBe(false)
  })
})

describe('importTranscript', () => {
  it('IMPORT-15 what was cut short at any turn is finished by the next import, to the same iterations', async () => {
    const whole = desk()
    await importTranscript(source(TURNS), whole)
    const expected = (await whole.store.read('claude-session1')).map(({ type, at, data }) => ({ type, at, data }))
    expect(expected.filter(({ type }) => type === 'iteration.ended')).toHaveLength(TURNS)
    for (const cut of [1, 70, 130, 299]) {
      const parts = desk()
      await expect(importTranscript(source(cut, true), parts)).rejects.toThrow('killed')
      const result = await importTranscript(source(TURNS), parts)
      expect(result.turns).toBe(TURNS)
      const events = await parts.store.read('claude-session1')
      const numbers = events.flatMap((event) => (event.type === 'iteration.ended' ? [event.data.iteration] : []))
      expect(numbers).toEqual(Array.from({ length: TURNS }, (_, index) => index + 1))
      expect(verifyChain(events).ok).toBe(true)
      expect(await importTranscript(source(TURNS), parts)).toMatchObject({ status: 'unchanged', turnsAdded: 0 })
    }
  })

  it('IMPORT-22 a turn without a report stands as the one before, and is a pass only where nothing can have changed', async () => {
    const parts = desk()
    await importTranscript(source(9), parts)
    const verdicts = (await parts.store.read('claude-session1')).flatMap((event) =>
      event.type === 'iteration.ended' ? [[event.data.verdict.passed, event.data.verdict.failing]] : [],
    )
    expect(verdicts).toEqual([
      [false, 0],
      [false, 1],
      [false, 1],
      [false, 1],
      [true, 0],
      [false, 0],
      [false, 0],
      [false, 1],
      [false, 1],
    ])
  })

  it('IMPORT-23 two imports of one session at a time do not mix: the second learns who writes', async () => {
    const parts = desk()
    const claimed = await parts.store.claim('claude-session1', { pid: process.pid, startedAt: 'now', host: 'elsewhere' })
    expect(claimed.status).toBe('claimed')
    await expect(importTranscript(source(3), parts)).rejects.toMatchObject({ code: 'run.held' })
  })
})
