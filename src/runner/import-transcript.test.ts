import { describe, expect, it } from 'vitest'
import type { TranscriptTurn } from '../core/transcripts/transcript-turn.ts'
import { memoryDisk, memoryStore } from '../drivers/stores/memory-store.ts'
import { reportParsers } from '../drivers/reports/index.ts'
import { verifyChain } from '../journal/hash-chain.ts'
import { machineProcesses } from '../process/machine-processes.ts'
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

  it('IMPORT-23 two imports of one session at a time do not mix: the second is told who writes', async () => {
    const parts = desk()
    const claimed = await parts.store.claim('claude-session1', { pid: process.pid, startedAt: 'now', host: 'elsewhere' })
    expect(claimed.status).toBe('claimed')
    await expect(importTranscript(source(3), parts)).rejects.toMatchObject({ code: 'run.held' })
  })
})
