import { expect, it } from 'vitest'
import type { FileChange } from '../core/event-data.ts'
import { unifiedDiff } from '../workspaces/diff.ts'
import { protectedEdits } from './protected-files.ts'

const modified = (path: string): FileChange => ({ path, change: 'modified' })
const version = (text: string) => ({ mode: '100644', content: Buffer.from(text) })

it.each<[string, string, readonly string[], 'protected' | 'state' | undefined]>([
  ['a file by name', 'src/contract.ts', ['src/contract.ts'], 'protected'],
  ['a file by glob', 'src/deep/a.contract.ts', ['**/*.contract.ts'], 'protected'],
  ['a folder by glob', 'migrations/1/up.sql', ['migrations/**'], 'protected'],
  ['a folder by name', 'migrations/1/up.sql', ['migrations'], 'protected'],
  ['a folder with its slash', 'migrations/up.sql', ['./migrations/'], 'protected'],
  ['one of several', 'b.json', ['{a,b}.json'], 'protected'],
  ['names that begin with a dot', '.github/workflows/ci.yml', ['**/*.yml'], 'protected'],
  ['a glob that begins with a dot', '.github/workflows/ci.yml', ['.github/**'], 'protected'],
  ['the settings of the loop', 'pawl.yaml', [], 'protected'],
  ['a program that a rule names', 'pawl-validators/licence', [], 'protected'],
  ['the state of the loop', '.pawl/pawl.db', [], 'state'],
  ['anything else', 'src/a.ts', ['test/**', 'src/b.ts'], undefined],
  ['a longer name', 'src/contract.ts.md', ['src/contract.ts'], undefined],
  ['the settings of another loop', 'examples/pawl.yaml', [], undefined],
])('RUN-200 protects %s', (_name, path, globs, kind) => {
  expect(protectedEdits([modified(path)], globs, '').map((each) => each.kind)).toEqual(kind === undefined ? [] : [kind])
})

it('RUN-201 names the changed lines of a protected file, at most ten, or what was done to it', () => {
  const diff = unifiedDiff('api/a.ts', version('one\ntwo\nthree\n'), version('one\n2\nthree\n')).text.toString('utf8')
  expect(
    protectedEdits([modified('api/a.ts'), modified('b.ts'), { path: 'api/b.ts', change: 'deleted' }], ['api'], diff),
  ).toEqual([
    { kind: 'protected', file: 'api/a.ts', line: 2, text: '- two / + 2' },
    { kind: 'protected', file: 'api/b.ts', text: 'deleted' },
  ])
  const many = Array.from({ length: 30 }, (_, index) => modified(`api/${index}`))
  expect(protectedEdits(many, ['api'], '')).toHaveLength(20)
})
