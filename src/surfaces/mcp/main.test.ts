import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { testFolder } from '../../../test/support/mcp-support.ts'
import { COMPILE_CACHE, programFile } from '../../../test/support/programs.ts'

const run = promisify(execFile)

async function mcp(...args: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly told: string }> {
  const options = { cwd: testFolder(), env: { PATH: process.env['PATH'] ?? '', ...COMPILE_CACHE }, timeout: 20_000 }
  const ended = run(process.execPath, [programFile('mcp'), 'mcp', ...args], options)
  return ended.then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, told: stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({ code: error.code, out: error.stdout, told: error.stderr }),
  )
}

test('MCP-26 help and mistakes on the command line get one sentence, with exit code 2 for mistakes', async () => {
  const [help, unknown, port] = await Promise.all([mcp('--help'), mcp('--nonsense'), mcp('--http', '--port', '70000')])
  expect(help).toMatchObject({ code: 0, told: '' })
  expect(help.out).toContain('--relay-answers')
  expect(unknown).toMatchObject({ code: 2, out: '' })
  expect(unknown.told).toContain('--nonsense')
  expect(unknown.told.trimEnd().split('\n')).toHaveLength(3)
  expect(unknown.told).toContain('pawl.yaml')
  expect(port).toMatchObject({ code: 2, told: 'pawl: --port takes a whole number from 0 to 65535, not "70000".\n' })
})
