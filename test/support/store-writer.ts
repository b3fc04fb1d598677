import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { sqliteStore } from '../../src/stores/sqlite-store.ts'
import { currentProcessIdentity } from '../../src/process/process-identity.ts'
import { iterationStarted, runPaused } from '../../src/testing/store-case.ts'

/**
 * A process that writes to a SQLite store, for tests with several processes. It prints `ready`, then executes each input line:
 * `claim`, `drive COUNT` or `tell COUNT RUN` (as a person). It prints one line for each append.
 */
const [path = '', run = '', synchronous = 'FULL', leaseMs = '60000'] = process.argv.slice(2)
const store = sqliteStore({ path, synchronous: synchronous as 'FULL' | 'NORMAL', leaseMs: Number(leaseMs) })
let claim = { run, epoch: 0 }
let seq = 0

say('ready')
for await (const line of createInterface({ input: process.stdin })) {
  const [word, count = '0', other = ''] = line.split(' ')
  if (word === 'claim') await claimed()
  for (let done = 0; done < Number(count); done++) await (word === 'drive' ? drive() : tell(other))
}
await store.close()

async function claimed(): Promise<void> {
  const result = await store.claim(run, currentProcessIdentity())
  if (result.status === 'claimed') claim = result.claim
  seq = (await store.read(run)).at(-1)?.seq ?? 0
  say(result.status)
}

async function drive(): Promise<void> {
  const result = await store.append(run, [iterationStarted(seq + 1)], { claim, expectedSeq: seq })
  if (result.status === 'appended') seq++
  say(result.status === 'appended' ? `${seq}` : result.status)
}

async function tell(other: string): Promise<void> {
  const result = await store.append(other, [runPaused(`process ${process.pid}`)])
  say(result.status === 'appended' ? `${result.events[0]?.seq}` : result.status)
}

/** Synchronous, so that a killed process has printed everything it did. */
function say(word: string): void {
  writeSync(1, `${word}\n`)
}
