import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import type { Fact } from '../core/event.ts'
import { plantedSecrets } from './planted-secrets.ts'
import { RUN, runPaused, storeCase } from './store-case.ts'

/** Texts, snapshots and secrets. */
export const keepingCases = [
  storeCase(
    'STORE-18 a text is found again by the hash of its content, from every store once an event is appended',
    async (store, other) => {
      for (const text of ['', 'short', 'Größe 🦀\r\n\u0000', 'a line like any other\n'.repeat(50_000), randomText()]) {
        const ref = await store.putText({ text, bytesCut: 0 })
        assert.deepEqual(ref, { sha256: hash('sha256', text), bytes: Buffer.byteLength(text) })
        assert.equal(await store.getText(ref), text)
        await store.append(RUN, [runPaused('later')])
        assert.equal(await other.getText(ref), text)
      }
      assert.equal(await store.getText({ sha256: 'f'.repeat(64), bytes: 3 }), undefined)
    },
  ),

  storeCase('STORE-18 the same text is kept once, and its reference says how much was cut this time', async (store, other) => {
    const whole = await store.putText({ text: 'the same', bytesCut: 0 })
    const cut = await other.putText({ text: 'the same', bytesCut: 17 })
    await other.append(RUN, [runPaused('later')])
    await store.append(RUN, [runPaused('later')])
    assert.deepEqual(cut, { ...whole, bytesCut: 17 })
    assert.equal(await store.getText(cut), 'the same')
  }),

  storeCase(
    'STORE-230 a dropped text is gone from every store; others stay, and what is kept later is found',
    async (store, other) => {
      const keep = async (text: string) => {
        const ref = await store.putText({ text, bytesCut: 0 })
        await store.append(RUN, [runPaused('later')])
        return ref
      }
      const stays = await keep('stays')
      const many = []
      for (let index = 0; index < 260; index++) many.push(await keep(`text ${index}`))
      const goes = await keep('goes')
      // The newest, so that their places are free again.
      for (const ref of [...many.slice(-10), goes]) await other.dropText(ref)
      await other.dropText(goes)
      for (const ref of [many.at(-1) ?? goes, goes]) assert.equal(await store.getText(ref), undefined)
      assert.equal(await store.getText(stays), 'stays')
      const later = await keep('another')
      assert.equal(await other.getText(later), 'another')
      assert.equal(await other.getText(await keep('goes')), 'goes')
      assert.equal(await other.getText(stays), 'stays')
    },
  ),

  storeCase(
    'STORE-231 a text that is dropped before it was written, or kept anew after that, is as if never kept',
    async (store) => {
      const ref = await store.putText({ text: 'not yet written', bytesCut: 0 })
      await store.dropText(ref)
      assert.equal(await store.getText(ref), undefined)
      await store.append(RUN, [runPaused('later')])
      assert.equal(await store.getText(ref), undefined)
      assert.equal(await store.getText(await store.putText({ text: 'not yet written', bytesCut: 0 })), 'not yet written')
    },
  ),

  storeCase('STORE-19 the last snapshot of a run is given back; a run without one has none', async (store, other) => {
    const snapshot = {
      seq: 4,
      hash: 'a'.repeat(64),
      version: 1,
      state: { iteration: 2, notes: ['ü', null], nested: { score: 0.5 } },
    }
    assert.equal(await store.getSnapshot(RUN), undefined)
    await store.putSnapshot(RUN, snapshot)
    await other.putSnapshot('another run', { ...snapshot, seq: 1 })
    assert.deepEqual(await other.getSnapshot(RUN), snapshot)
    await other.putSnapshot(RUN, { ...snapshot, seq: 5, version: 2 })
    assert.deepEqual(await store.getSnapshot(RUN), { ...snapshot, seq: 5, version: 2 })
    assert.deepEqual(await store.read(RUN), [])
  }),

  ...plantedSecrets().map(({ name, text, secret }) =>
    storeCase(`SECRET-12 no store keeps a secret (${name}) in an event, a text or a snapshot`, async (store, other) => {
      const told = { ...runPaused(`see\n${text}\nthere`), by: { role: 'person', name: text } } as Fact
      const ref = await store.putText({ text: `first\n${text}\nlast`, bytesCut: 0 })
      const result = await store.append(RUN, [told])
      await store.putSnapshot(RUN, { seq: 1, hash: 'h', version: 1, state: { notes: [text] } })
      const kept = JSON.stringify([result, await other.read(RUN), await other.getText(ref), await other.getSnapshot(RUN)])
      assert.ok(!kept.includes(JSON.stringify(secret).slice(1, -1)))
      assert.match((await other.getText(ref)) ?? '', /^first\n.*\[redacted: .*\].*\nlast$/)
      assert.equal(ref.sha256, hash('sha256', (await other.getText(ref)) ?? ''))
    }),
  ),
]

/** Does not get smaller by compressing. */
function randomText(): string {
  let text = ''
  for (let index = 0; index < 200; index++) text += hash('sha256', String(index))
  return text
}
