import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { notifyOfQuestion } from './notify.ts'

test('LONG-4 a question rings the bell and shows a notice, on the desktop or by the terminal, and never if nobody is there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-notify-'))
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true, force: true })
  })
  vi.stubEnv('PATH', folder)
  expect(await sent(true)).toBe('\u0007\u001b]9;pawl: fix needs your answer\u0007')
  const note = join(folder, 'note')
  writeFileSync(join(folder, 'notify-send'), `#!/bin/sh\nprintf '%s|' "$@" > ${note}.new\n/bin/mv ${note}.new ${note}\n`)
  chmodSync(join(folder, 'notify-send'), 0o755)
  expect(await sent(false)).toBe('')
  expect(await sent(true)).toBe('\u0007')
  await vi.waitFor(
    () => expect(readFileSync(note, 'utf8')).toMatch(/^--app-name=pawl\|pawl: fix needs your answer\|\S.*is right\?\|$/),
    30_000,
  )
})

/** What the terminal is sent. */
async function sent(isLive: boolean): Promise<string> {
  const written: string[] = []
  const control = (sequence: string): void => void (isLive && written.push(sequence))
  await notifyOfQuestion({ isLive, control }, 'fix', '--urgency=x Which \u001b[31mis right?')
  return written.join('')
}
