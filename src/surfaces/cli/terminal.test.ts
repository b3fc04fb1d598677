import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { styleText } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { printable, printableJson } from '../../present/layout.ts'
import { testProject } from '../../../test/support/cli-project.ts'
import { collectingContext } from '../../../test/support/collecting-context.ts'
import { blame } from './commands/blame.ts'
import { exportRun } from './commands/export.ts'
import { research } from './commands/research.ts'
import { restore } from './commands/restore.ts'
import { text } from './commands/text.ts'

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

/** Sets the title, clears the screen, moves up, colours, hides, turns the direction of writing, and goes back to overwrite. */
const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u001b[1A\u001b[31mred\u001b[8m\u009b2J\u202eabc\u200f\u0000\rfine'
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

test('SAFE-11 nothing that a command says, warns of or prints as JSON can move the cursor or set a title', () => {
  const script = `import { processTerminal } from ${JSON.stringify(join(import.meta.dirname, 'terminal.ts'))}
const terminal = processTerminal()
const hostile = ${JSON.stringify(HOSTILE)}
terminal.say(hostile); terminal.warn(hostile); terminal.json({ [hostile]: hostile }); terminal.exact('as\\r it is')`
  const ran = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { env: {}, encoding: 'utf8' })
  const [said = '', json = '', exact] = ran.stdout.split('\n')
  expect(said).toBe('redabcfine')
  expect(ran.stderr.trimEnd()).toBe('redabcfine')
  expect(json).not.toMatch(CONTROL)
  expect(JSON.parse(json)).toEqual({ [HOSTILE]: HOSTILE })
  expect(exact).toBe('as\r it is')
})

test('SAFE-11 our own colours stay, those of others do not', () => {
  const painted = styleText('green', `ok ${HOSTILE}`, { validateStream: false })
  expect(printable(painted, true).startsWith('\u001b[32mok ')).toBe(true)
  expect(printable(painted, true)).not.toContain('\u001b[8m')
  expect(printable(painted)).toBe('ok redabcfine')
  expect(printable('a\r\nb\tc')).toBe('a\nb\tc')
  expect(JSON.parse(printableJson({ text: HOSTILE }))).toEqual({ text: HOSTILE })
})

test('SAFE-11 control sequences from files, agents and findings reach neither terminal nor report in blame, text, restore, research and export', async () => {
  const project = testProject()
  onTestFinished(() => project.remove())
  const loop = project.loop({ passesAt: 1, goal: `The goal ${HOSTILE}`, reports: [{ summary: `Done ${HOSTILE}` }] })
  writeFileSync(join(project.root, 'fi\u001b[2Jle\u009b.txt'), `before ${HOSTILE}\n`)
  await loop.run('r')
  writeFileSync(join(project.root, 'fi\u001b[2Jle\u009b.txt'), `after ${HOSTILE}\n`)
  const brief = (await loop.events('r')).find((event) => event.type === 'work.started')?.seq
  await project.close()
  const look = project.look()
  await blame(look, 'work.txt', 'r')
  await text(look, 'r', String(brief))
  await restore(look, 'r', '0', { yes: true })
  await exportRun(look, 'r', { format: 'markdown' })
  await exportRun(look, 'r', { format: 'jsonl' })
  await exportRun(look, 'r', { format: 'markdown', out: join(project.root, 'report.md') })
  const written = readFileSync(join(project.root, 'report.md'), 'utf8')
  expect(look.out.join('\n')).toContain('The goal')
  for (const each of [...look.out, ...look.warned, written]) expect(each).not.toMatch(CONTROL)

  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-hostile-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, 'src'))
  writeFileSync(
    join(root, 'src', 'login.ts'),
    `/** Lets a user in ${HOSTILE}. */\nexport function loginUser(): string {\n  return '${HOSTILE}'\n}\n`,
  )
  const asked = collectingContext(root)
  await research(asked, { id: 'q', ask: false, report: join(root, 'report.md') }, `Where is loginUser handled ${HOSTILE}?`)
  await exportRun(asked, 'q', { format: 'report-json' })
  const report = readFileSync(join(root, 'report.md'), 'utf8')
  expect(report).toContain('loginUser')
  for (const each of [...asked.said, ...asked.warned, report]) expect(each).not.toMatch(CONTROL)
})
