import { expect, test } from 'vitest'
import { hasNothingLeft, isDiskFull } from './disk-space.ts'
import { temporaryFolder } from '../../test/support/process-support.ts'

const ROOM = { blocks: 1_000_000, bavail: 500_000, bsize: 4096, files: 1000, ffree: 500 }

test('PROC-30 a disk is full when hardly any space or no file is left, and not where these are not counted', () => {
  expect(hasNothingLeft(ROOM)).toBe(false)
  expect(hasNothingLeft({ ...ROOM, bavail: 100 })).toBe(true)
  expect(hasNothingLeft({ ...ROOM, ffree: 0 })).toBe(true)
  expect(hasNothingLeft({ blocks: 0, bavail: 0, bsize: 4096, files: 0, ffree: 0 })).toBe(false)
})

test('PROC-30 a folder that is not there is not on a full disk', async () => {
  expect(await isDiskFull(`${temporaryFolder()}/gone`)).toBe(false)
})
