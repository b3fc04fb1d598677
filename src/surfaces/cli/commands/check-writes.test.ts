import { expect, onTestFinished, test } from 'vitest'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { testProject } from '../../../../test/support/cli-project.ts'
import { EXIT } from '../exit-codes.ts'
import type { RunView } from '../../../present/run-view.ts'
import { diff } from './diff.ts'
import { resume } from './resume.ts'
import { show } from './show.ts'
import { task } from './task.ts'

/** Passes always, and writes a file as test runners do: a cache, a report. */
const CHECK = 'date +%s%N >>cache.txt'

test.each(['git', 'no git'])(
  'TASK-167 in a folder with %s what the checks write is no work of an agent that did nothing',
  async (kind) => {
    const project = testProject()
    onTestFinished(() => project.remove())
    if (kind === 'no git') rmSync(join(project.root, '.git'), { recursive: true })
    const look = project.look()
    const flags = { id: 'r', ask: false, check: [CHECK] }
    expect(await task(look, { ...flags, agentCommand: 'true' }, ['A median function'])).toBe(EXIT.waiting)
    const said = look.out.join('\n')
    expect(said).toContain('The checks passed before the agent began and it changed nothing')
    expect(said.match(/the checks wrote 1 file \(cache\.txt\) \(not counted as work\)/g)).toHaveLength(1)
    expect(await resume(project.look(), { ask: false, answer: 'continue' }, 'r')).toBe(EXIT.waiting)
    const asked = project.look({ json: true })
    await show(asked, 'r')
    expect(asked.documents[0]).toMatchObject({ message: 'The checks pass, as they did before, and nothing changed.' })
    expect((asked.documents[0] as RunView).iterations.map(({ filesChanged }) => filesChanged)).toEqual([0, 0])
    const worked = { ask: false, answer: 'continue', agentCommand: `sh -c 'echo more >>work.txt'` }
    // Something was changed now, and still no check can tell whether it is what was asked for.
    expect(await resume(project.look(), worked, 'r')).toBe(EXIT.waiting)
    const patch = project.look()
    await diff(patch, 'r', '3')
    expect(patch.out.filter((line) => line.startsWith('+++'))).toEqual(['+++ b/work.txt'])
  },
)
