import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isRunning, PLAIN_ENVIRONMENT } from '../../test/support/process-support.ts'
import type { ProcessIdentity } from '../core/event-data.ts'
import { type Talk, type TalkOptions, talkToCommand } from './talk-to-command.ts'

async function talk<Value>(line: string, held: (talk: Talk) => Promise<Value>, options: Partial<TalkOptions> = {}) {
  const identities: ProcessIdentity[] = []
  const result = await talkToCommand(
    {
      command: ['/bin/sh', '-c', line],
      cwd: tmpdir(),
      env: PLAIN_ENVIRONMENT,
      timeoutMs: 20_000,
      graceMs: 200,
      signal: new AbortController().signal,
      onStarted: async (identity) => void identities.push(identity),
      ...options,
    },
    held,
  )
  return { result, pid: identities[0]?.pid ?? 0 }
}

const never = (): Promise<never> => new Promise(() => undefined)
const said = async ({ output }: Talk): Promise<string> => String((await once(output, 'data'))[0])
const leave = async ({ signal }: Talk): Promise<void> => void (await once(signal, 'abort'))
const waiting = async ({ pauseLimit }: Talk): Promise<string> => {
  const goOn = [pauseLimit(), pauseLimit()]
  await sleep(700)
  goOn.forEach((each) => each())
  return 'answered'
}
const after = async (with_: Talk): Promise<never> => {
  with_.pauseLimit()()
  return never()
}

test('ACP-27 a program is talked to over its stdin and stdout, and is over when the talk is; stderr is kept apart', async () => {
  const { result, pid } = await talk('echo noise >&2; cat; sleep 1000', async (with_) => {
    with_.input.write('hello\n')
    return said(with_)
  })
  expect(result).toMatchObject({ status: 'talked', value: 'hello\n', errors: { text: 'noise\n' } })
  expect(isRunning(pid)).toBe(false)
})

test('ACP-28 a program that ends first, a talk that breaks off, and one that cannot begin are distinguished', async () => {
  expect((await talk('exit 3', never)).result).toMatchObject({ status: 'exited', exitCode: 3 })
  expect((await talk('kill -9 $$', never)).result).toMatchObject({ status: 'killed', signal: 'SIGKILL' })
  const broken = await talk('sleep 1000', () => Promise.reject(new Error('no sense')))
  expect(broken.result).toMatchObject({ status: 'broken-off', error: { message: 'no sense' } })
  expect(isRunning(broken.pid)).toBe(false)
  const missing = await talk('', never, { command: ['no-such-program-here'] })
  expect(missing.result).toMatchObject({ status: 'could-not-start', reason: 'not-found' })
})

test('ACP-29 at the time limit and when it is interrupted the talk may take leave, and the whole group is ended', async () => {
  const late = await talk('sleep 1000 & sleep 1000', leave, { timeoutMs: 100 })
  expect(late.result).toMatchObject({ status: 'timed-out' })
  expect(isRunning(late.pid)).toBe(false)
  const stop = new AbortController()
  const stubborn = await talk(
    "trap '' TERM; echo ready; sleep 1000",
    async (with_) => {
      await said(with_)
      stop.abort()
      return never()
    },
    { signal: stop.signal },
  )
  expect(stubborn.result).toMatchObject({ status: 'aborted' })
  expect(isRunning(stubborn.pid)).toBe(false)
})

test('ASK-19 the time limit pauses while the work waits for somebody else', async () => {
  expect((await talk('cat', waiting, { timeoutMs: 400 })).result).toMatchObject({ status: 'talked', value: 'answered' })
  expect((await talk('cat', after, { timeoutMs: 100 })).result).toMatchObject({ status: 'timed-out' })
})

test('ACP-30 nothing runs when its start cannot be recorded', async () => {
  const refused = talk('touch /tmp/never', never, { onStarted: () => Promise.reject(new Error('journal is full')) })
  await expect(refused).rejects.toThrow('journal is full')
})
