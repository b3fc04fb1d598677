import { expect, it } from 'vitest'
import type { TextRef } from '../core/event-data.ts'
import type { TranscriptTurn } from '../evidence/transcripts/transcript.ts'
import { reportParsers } from '../checks/reports/index.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { keepSecretsOf } from '../secrets/known-values.ts'
import { redactText } from '../secrets/filter.ts'
import { machineProcesses } from '../process/processes.ts'
import { leakedIn, straddling, straddlingEnd } from '../../test/support/planted-secrets.ts'
import { plantedSecrets, type PlantedSecret } from '../testing/planted-secrets.ts'
import { importTranscript } from '../evidence/import-transcript.ts'

const KEPT_MAX = 256 * 1024

/** Two turns in which every text that is cut is cut through the secret: for the second time where whole texts are. */
function turnsWith(planted: PlantedSecret): readonly TranscriptTurn[] {
  const oneLine = { ...planted, text: planted.text.replaceAll('\n', ' ') }
  const calls = (command: string, output: string, patch: string): TranscriptTurn['calls'] => [
    { name: 'Bash', input: { command }, response: output, shell: { command: straddling(oneLine, 100), output } },
    { name: 'Edit', input: { path: 'a.ts' }, response: 'ok', edits: [{ path: 'a.ts', change: 'modified' }], patch },
  ]
  return [
    {
      at: 2,
      endedAt: 3,
      prompt: { text: straddling(planted, 300), at: 1 },
      words: straddling(planted, 500),
      calls: calls(straddling(planted, 80), 'report', 'patch'),
    },
    {
      at: 5,
      endedAt: 6,
      prompt: { text: straddling(planted, KEPT_MAX), at: 4 },
      words: straddling(planted, KEPT_MAX),
      calls: calls('npm test', straddlingEnd(planted, KEPT_MAX), straddling(planted, KEPT_MAX)),
    },
  ]
}

/** A transcript of these turns. */
function sourceOf(turns: readonly TranscriptTurn[]) {
  return {
    agent: 'claude',
    file: 'session.jsonl',
    turns: (async function* () {
      yield* turns
    })(),
    session: () => ({ id: 'session-1' }),
  }
}

it('SECRET-23 a cut through a secret leaves no part of it in the goal, the summaries, labels, checks and texts of an imported run', async () => {
  for (const planted of plantedSecrets()) {
    const store = memoryStore()
    const turns = turnsWith(planted)
    const source = sourceOf(turns)
    const counts = { passed: 1, failed: 0, skipped: 0 }
    const parsers = [() => ({ format: 'tap', counts, failures: [] })]
    const result = await importTranscript(source, { store, processes: machineProcesses, parsers, run: 'r' })
    expect(result).toMatchObject({ status: 'imported', turns: 2, checks: 2 })
    const events = JSON.stringify(await store.read('r'))
    const refs: TextRef[] = []
    JSON.parse(events, (_name, value: unknown) => {
      if (typeof value === 'object' && value !== null && 'sha256' in value) refs.push(value as TextRef)
      return value
    })
    const texts = await Promise.all(refs.map((ref) => store.getText(ref)))
    expect(texts.length).toBeGreaterThanOrEqual(8)
    expect(leakedIn([events, ...texts].join('\n'), [planted])).toEqual([])
  }
})

it('SECRET-53 of a report that an imported session shows no part of a secret stays where its names and messages are cut', async () => {
  for (const planted of plantedSecrets()) {
    const oneLine = { ...planted, text: planted.text.replaceAll('\n', ' ') }
    const output = `TAP version 13\nnot ok 1 - sends\n  ---\n  message: ${JSON.stringify(straddling(oneLine, 10_000))}\n  ...\nok 2 - other\n1..2\n`
    const shell = { command: 'npm test', output, exitCode: 1 }
    const calls = [{ name: 'Bash', input: { command: 'npm test' }, response: output, shell }]
    const store = memoryStore()
    const source = sourceOf([{ at: 2, endedAt: 3, prompt: { text: 'Mend it', at: 1 }, words: 'It is done.', calls }])
    const result = await importTranscript(source, { store, processes: machineProcesses, parsers: reportParsers, run: 'r' })
    expect(result).toMatchObject({ status: 'imported', checks: 1 })
    const events = JSON.stringify(await store.read('r'))
    expect(events).toContain('"failures":[{"id":"sends"')
    expect(leakedIn(events, [planted])).toEqual([])
  }
})

it('SECRET-44 an imported run makes what is in its name visible from when it begins', async () => {
  keepSecretsOf({ IMPORT_KEY: 'import-word-1' })
  expect(await redactText('import-word-1')).toBe('[redacted: IMPORT_KEY]')
  const store = memoryStore()
  const turns = [{ at: 2, endedAt: 3, prompt: { text: 'see import-word-1', at: 1 }, words: 'It is done.', calls: [] }]
  const source = sourceOf(turns)
  await importTranscript(source, { store, processes: machineProcesses, parsers: [], run: 'for-import-word-1' })
  expect(JSON.stringify(await store.read('for-import-word-1'))).toContain('see import-word-1')
})
