import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { FIGURES } from './figures.ts'

test('BENCH-4 a figure that does not exist is refused with the names of those that do', async () => {
  const { exitCode, stdout, stderr } = await bench(['engine-overhead', 'speed'])
  expect(exitCode).toBe(2)
  expect(stdout).toBe('')
  expect(stderr).toContain('There is no figure "speed".')
  for (const { name } of FIGURES) expect(stderr).toContain(name)
})

test('BENCH-4 every figure is a ratio held against a bound that has no unit', () => {
  expect(FIGURES.map(({ name, bound }) => `${name} ${bound.text}`)).toEqual([
    'engine-overhead <= 4',
    'langgraph-speed >= 30',
    'langgraph-size >= 100',
    'flat-10000 <= 1.25',
    'resume-10000 <= 3',
    'cli-start <= 2',
    'hook-round <= 2',
    'hook-10000 <= 1.15',
    'ledger-flat <= 1.5',
    'ledger-cost <= 1',
    'postgres-append <= 1.5',
    'proof-cost <= 1',
    'sandbox-start <= 1',
    'sandbox-suite <= 1.05',
    'fleet-2000 <= 1',
    'fleet-2000-postgres <= 1',
    'serve-list <= 1',
    'serve-watched <= 1.25',
    'page-list <= 1',
    'page-run <= 1',
    'page-grid <= 1',
    'page-diff <= 1',
    'similarity-speed >= 100',
    'similarity-1-mb <= 1',
    'similarity-decision <= 1',
    'guards-all <= 1',
    'odds-speed <= 1',
    'odds-size <= 1',
    'guards-flat <= 1.5',
    'reports-speed >= 1',
    'report-tap >= 1',
    'report-junit >= 1',
    'reports-memory <= 2.5',
    'mcp-next <= 1',
    'agent-overhead <= 1',
    'agent-memory <= 1',
    'research-estimate-cold <= 1',
    'research-estimate-warm <= 1',
    'research-verify <= 1',
    'research-integrate <= 1',
    'research-integrate-growth <= 2.5',
  ])
})

function bench(args: readonly string[]) {
  const options = { env: { PATH: process.env['PATH'] }, extendEnv: false, reject: false, timeout: 30_000 } as const
  return execa(process.execPath, [join(import.meta.dirname, 'run.ts'), ...args], options)
}
