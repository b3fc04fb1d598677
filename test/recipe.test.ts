import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'

// The recipe "Add a guard" of CONTRIBUTING.md, followed in a scratch copy: one file, its page, and two commands.
const ROOT = dirname(import.meta.dirname)

const GUARD = `import type { Guard } from '../core/guard.ts'
import type { Severity } from '../core/trip.ts'
import { byDefault, type EntriesOf, settingsSchema, wholeNumber } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { type GuardSettings, severityOf } from './guard-settings.ts'

export interface ManyFilesOptions {
  readonly filesMax?: number
  readonly severity?: Severity
}

/**
 * Holds when one iteration changed too many files.
 *
 * @part manyFiles
 */
export function manyFiles(options: ManyFilesOptions = {}): Guard {
  const { filesMax, severity } = readOptions('manyFiles', SETTINGS, options)
  return {
    spec: { name: 'manyFiles', v: 1, severity, settings: { filesMax } },
    inspect: ({ recent }) => {
      const last = recent.at(-1)
      if (!last || last.filesChanged <= filesMax) return []
      const evidence = { facts: [last.seq], measures: { files: last.filesChanged, filesMax } }
      return [{ guard: 'manyFiles', severity, message: 'Too many files at once.', evidence, hint: 'Change fewer files.' }]
    },
  }
}

const SETTINGS = settingsSchema({
  filesMax: byDefault(wholeNumber(1), 50, 'Files that one iteration may change'),
  severity: severityOf('warn'),
} satisfies EntriesOf<ManyFilesOptions>)

/**
 * How pawl.yaml and flags set this guard.
 *
 * @settings manyFiles
 */
export const manyFilesSettings: GuardSettings = { schema: SETTINGS, place: 90 }
`

const PAGE = '# manyFiles\n\nNotices a change that is too wide.\n\n<!-- settings: npm run reference -->\n\n<!-- end -->\n'

test('DOCS-11 a guard made by the recipe is known to pawl.yaml, --guard, the docs, the JSON Schema and the statistics', async () => {
  const copy = mkdtempSync(join(tmpdir(), 'pawl-recipe-'))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  for (const part of ['src', 'scripts', 'docs', 'schema', 'package.json', 'tsconfig.json'])
    cpSync(join(ROOT, part), join(copy, part), { recursive: true, filter: (path) => !path.endsWith('.test.ts') })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))

  writeFileSync(join(copy, 'src/guards/many-files.ts'), GUARD)
  writeFileSync(join(copy, 'docs/guards/many-files.md'), PAGE)
  const node = (args: readonly string[], cwd = copy) =>
    execa(process.execPath, args, {
      cwd,
      reject: false,
      extendEnv: false,
      env: { PATH: process.env['PATH'], HOME: copy, NODE_COMPILE_CACHE: join(copy, 'cache') },
    })
  for (const script of ['list-parts.ts', 'write-reference.ts'])
    expect(await node([join(copy, 'scripts', script)])).toMatchObject({ exitCode: 0 })

  const text = (path: string): string => readFileSync(join(copy, path), 'utf8')
  expect(text('docs/guards/many-files.md')).toContain('| `filesMax` | Files that one iteration may change |')
  expect(text('docs/reference/pawl-yaml.md')).toContain('many_files')
  expect(text('schema/pawl.schema.json')).toContain('many_files')

  const project = join(copy, 'project')
  cpSync(join(ROOT, 'examples/demo-solvable'), project, { recursive: true })
  const pawl = (...args: readonly string[]) => node([join(copy, 'src/surfaces/cli/main.ts'), ...args], project)
  const check = process.execPath.replaceAll(' ', '\\ ')
  const work = `${check} -e "for (const n of [1, 2]) require('fs').writeFileSync('new' + n + '.txt', 'x')"`
  writeFileSync(join(project, 'pawl.yaml'), 'guards:\n  many_files: { files_max: 1, severity: trip }\n')
  // Its own failing check keeps the run from being done before the guard has anything to say.
  const flags = ['--check', `${check} -e "process.exit(1)"`, '--agent-command', work, '--max-iterations', '4']
  const byFile = await pawl('task', 'Be narrow', '--id', 'by-file', ...flags)
  expect(byFile).toMatchObject({ exitCode: 3 })
  expect((await pawl('log', 'by-file', '--json')).stdout).toContain('"guard":"manyFiles"')

  const wrong = await pawl('task', 'Be narrow', '--guard', 'many_file=trip', ...flags)
  expect(wrong.exitCode).not.toBe(0)
  expect(wrong.stderr).toContain('many_files')
  const off = await pawl('task', 'Be narrow', '--id', 'switched-off', '--guard', 'many_files=off', ...flags)
  expect(off.exitCode).toBe(3)
  expect((await pawl('log', 'switched-off', '--json')).stdout).not.toContain('"guard":"manyFiles"')

  expect((await pawl('stats')).stdout).toContain('manyFiles')
})
