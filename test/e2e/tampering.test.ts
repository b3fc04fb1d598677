import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { maxIterations, tampering } from '../../src/guards/index.ts'
import { pytestText } from '../../src/checks/reports/pytest.ts'
import { memoryStore } from '../../src/stores/memory-store.ts'
import { folderWorkspace } from '../../src/workspaces/folder-workspace.ts'
import { taskLoop } from '../../src/loops/task/index.ts'
import type { CheckResult } from '../../src/checks/check.ts'
import { createLoop } from '../../src/surfaces/library/create-loop.ts'

const TESTS = 'tests/test_app.py'
const text = 'import pytest\nfrom app import f, g\n\ndef test_g():\n    assert g(1) == 1\n\ndef test_f():\n    assert f(1) == 2\n'

const failed = `tests/test_app.py .F                                                     [100%]

=================================== FAILURES ===================================
____________________________________ test_f ____________________________________

    def test_f():
>       assert f(1) == 2
E       assert 1 == 2
E        +  where 1 = f(1)

tests/test_app.py:8: AssertionError
=========================== short test summary info ============================
FAILED tests/test_app.py::test_f - assert 1 == 2
========================= 1 failed, 1 passed in 0.05s ==========================
`
const passed = (line: string): string =>
  `tests/test_app.py ..    [100%]\n\n============================== ${line} in 0.01s ==============================\n`

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-tampering-'))
  write(TESTS, text)
  write('app.py', 'def f(x): return x\n')
})

afterEach(() => rmSync(folder, { recursive: true }))

describe('an agent whose pass comes from its tests', () => {
  it.each<[string, string, (old: string) => string, string]>([
    ['the code is mended', 'app.py', (old) => old.replace('return x', 'return x + 1'), '2 passed'],
    ['a test is added', TESTS, (old) => `${old}\ndef test_h():\n    assert f(2) == 3\n`, '3 passed'],
  ])('GUARD-240 is believed where %s', async (_name, file, edit, said) => {
    expect(await statusAfter(file, edit, said)).toBe('completed')
  })

  it.each<[string, string, (old: string) => string, string]>([
    [
      'the test is skipped',
      TESTS,
      (old) => old.replace('def test_f', '@pytest.mark.skipif(1)\ndef test_f'),
      '1 passed, 1 skipped',
    ],
    ['the test is hidden', TESTS, (old) => old.replace('def test_f', 'def _test_f'), '1 passed'],
    ['a plugin of its own leaves it out', 'conftest.py', () => 'from helpers import *\n', '1 passed'],
    ['a setting of its own leaves it out', 'pytest.ini', () => '[pytest]\ntestpaths = other\n', '1 passed'],
    ['nothing is run', 'Makefile', () => 'test:\n\t@python run.py\n', ''],
  ])('GUARD-240 is not believed where %s', async (_name, file, edit, said) => {
    expect(await statusAfter(file, edit, said)).toBe('escalated')
  })

  it('GUARD-236 is asked again until it has put back what it should', async () => {
    const edits: Record<number, () => void> = {
      1: () => write(TESTS, text.replace('f(1) == 2', 'f(1)')),
      2: () => write('app.py', 'def f(x): return 1\n'),
      3: () => (write(TESTS, text), write('app.py', 'def f(x): return x + 1\n')),
    }
    const loop = loopWith((iteration) => edits[iteration]?.(), '2 passed')
    expect(await loop.run('r')).toMatchObject({ status: 'escalated', iterations: 1 })
    await loop.answer('r', { choice: 'continue' })
    const message = expect.stringContaining('This was to be put back and is still there')
    expect(await loop.run('r')).toMatchObject({ status: 'escalated', iterations: 2, message })
    await loop.answer('r', { choice: 'continue' })
    expect(await loop.run('r')).toMatchObject({ status: 'completed', iterations: 3 })
  })
})

async function statusAfter(file: string, edit: (old: string) => string, said: string): Promise<string> {
  const old = file === TESTS || file === 'app.py' ? readFileSync(join(folder, file), 'utf8') : ''
  return (await loopWith(() => write(file, edit(old)), said).run('r')).status
}

/** A loop whose check says that `test_f` fails until the agent has worked, and `said` from then on. */
function loopWith(work: (iteration: number) => void, said: string) {
  let output = failed
  return createLoop({
    loop: taskLoop({ goal: 'f adds one' }),
    guards: [maxIterations(5), tampering()],
    agent: {
      spec: { name: 'custom', v: 1, settings: {} },
      work: async ({ iteration }, context) => {
        await context.started()
        work(iteration)
        output = said === '' ? '' : passed(said)
        return { status: 'finished' }
      },
    },
    checks: [
      {
        name: 'tests',
        spec: { name: 'custom', v: 1, settings: { name: 'tests' } },
        run: async (_request, context) => (await context.started(), resultOf(output)),
      },
    ],
    workspace: folderWorkspace({ path: folder }),
    store: memoryStore(),
  })
}

function resultOf(output: string): CheckResult {
  const report = pytestText(output)
  const counts = report?.counts ? { counts: report.counts } : {}
  const failures = report?.failures ?? []
  return failures.length > 0 ? { status: 'failed', failures, ...counts } : { status: 'passed', ...counts }
}

function write(name: string, content: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), content)
}
