import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** The widths of a process whose output is a pipe. */
function widths(env: Readonly<Record<string, string>>): unknown {
  const script = `import { processTerminal } from ${JSON.stringify(join(import.meta.dirname, 'terminal.ts'))}
const { columns, tableColumns } = processTerminal()
process.stdout.write(columns + ' ' + tableColumns)`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { env, encoding: 'utf8' })
  return stdout
}

test('CLI-409 in a pipe tables have no bounds, unless COLUMNS says them', () => {
  expect(widths({})).toBe('80 Infinity')
  expect(widths({ COLUMNS: '140' })).toBe('140 undefined')
  expect(widths({ COLUMNS: 'wide' })).toBe('80 Infinity')
})
