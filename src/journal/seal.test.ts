import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { EVENT_VERSION, type Fact } from '../core/event.ts'
import { plantedSecrets } from '../testing/planted-secrets.ts'
import { redactFacts } from './redact-facts.ts'
import { canonical } from './canonical.ts'
import { chainHash, GENESIS, verifyChain } from './hash-chain.ts'
import { appendedEvents, prepareFacts, seal, type Sealed } from './seal.ts'

test('JOURNAL-6 sealing gives facts their places, the present version and a chained hash', async () => {
  const facts = [started(1), { ...started(2), because: 7 }]
  const [first, second] = withEvents(seal(prepareFacts('fix-login', facts), 7, 'f'.repeat(64)))
  expect(first?.event).toMatchObject({ ...facts[0], seq: 8, run: 'fix-login', v: EVENT_VERSION })
  expect(second?.event).toMatchObject({ ...facts[1], seq: 9, because: 7 })
  expect(second?.event.hash).toBe(chainHash(first?.event.hash ?? '', second?.event as never))
})

test('JOURNAL-6 the sealed text is the canonical text of the event, whatever is in it', async () => {
  const data = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue())
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary' }),
      data,
      fc.option(fc.nat(), { nil: undefined }),
      async (run, measures, because) => {
        const fact = { type: 'guard.tripped', at: 5, by: { role: 'guard', name: run }, because, data: { evidence: { measures } } }
        const [sealed] = withEvents(seal(prepareFacts(run, [fact as unknown as Fact]), 0, GENESIS))
        expect(sealed?.text).toBe(canonical({ ...sealed?.event, hash: undefined }))
        expect(verifyChain([sealed?.event as never])).toMatchObject({ ok: true })
      },
    ),
  )
})

test('JOURNAL-7 the writer continues with what a reader will see: no undefined fields, nothing shared with the fact', async () => {
  const files = [{ path: 'a.ts', change: 'added' as const }]
  const data = {
    key: '1/observe/0',
    tree: 't',
    snapshot: 's',
    files,
    filesChanged: 1,
    insertions: 1,
    deletions: 0,
    diff: undefined,
  }
  const fact = { type: 'workspace.observed', at: 1, by: { role: 'workspace' }, data } as unknown as Fact
  const [sealed] = withEvents(seal(prepareFacts('r', [fact]), 0, GENESIS))
  files.push({ path: 'b.ts', change: 'added' })
  expect(sealed?.event.data).toEqual({ ...data, files: [{ path: 'a.ts', change: 'added' }], diff: undefined })
  expect(Object.keys(sealed?.event.data ?? {})).not.toContain('diff')
})

test('SECRET-11 what is sealed was redacted before it was hashed; other facts of the append stay as they are', async () => {
  const { text, secret } = plantedSecrets()[0] as { text: string; secret: string }
  const paused = { type: 'run.paused', at: 1, by: { role: 'person', name: text }, data: { reason: `because of ${text}` } } as Fact
  const sealed = withEvents(seal(prepareFacts('r', await redactFacts([started(1), paused])), 0, GENESIS))
  expect(sealed[0]?.event.data).toEqual({ iteration: 1 })
  expect(sealed[1]?.event).toMatchObject({ by: { name: '[redacted: aws]' }, data: { reason: '[redacted: aws]' } })
  expect(sealed[1]?.text).not.toContain(secret)
  expect(verifyChain(sealed.map(({ event }) => event))).toMatchObject({ ok: true, seq: 2 })
})

test('SECRET-11 facts without anything like a secret are prepared without waiting', () => {
  expect(redactFacts([started(1)])).toBeInstanceOf(Array)
})

function withEvents(sealed: readonly Sealed[]) {
  const { events } = appendedEvents(sealed)
  return sealed.map((each, index) => ({ ...each, event: events[index] as (typeof events)[number] }))
}

function started(iteration: number): Fact {
  return { type: 'iteration.started', at: 1000 + iteration, by: { role: 'loop', name: 'task' }, data: { iteration } }
}
