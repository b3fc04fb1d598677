import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const folder = join(import.meta.dirname, '..', 'examples', 'library')

describe('examples', () => {
  it.each(readdirSync(folder).filter((name) => name.endsWith('.mjs')))(
    'EXAMPLE-1 %s runs as it is and asserts its own result',
    async (name) => {
      const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] }
      const { stdout } = await promisify(execFile)(process.execPath, [join(folder, name)], { env, timeout: 50_000 })
      expect(stdout).toContain('Done after 2 iterations: "is five" failed before and passes now.')
    },
  )
})
