import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { type Look, testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import { withStore } from '../cli-context.ts'
import { answer } from './answer.ts'
import { ls } from './ls.ts'
import { resume } from './resume.ts'
import { show } from './show.ts'
import { task } from './task.ts'

let project: TestProject

beforeEach(() => {
  project = testProject({ isGit: false })
})

afterEach(() => project.remove())

test('CLI-256 a run that is over is not announced again: another id is asked for', async () => {
  await project.loop({ passesAt: 1, goal: 'work' }).run('nightly')
  await project.close()
  const flags = { id: 'nightly', agentCommand: 'true', check: ['true'] }
  await expect(task(project.look(), flags, ['work'])).rejects.toThrow(
    'Run nightly is completed already and checks nothing any more',
  )
})

test('ODDS-52 the outcome document of a run that is not over has its odds, as `pawl show --json` has them', async () => {
  const flags = { agentCommand: 'sh -c "echo more >> work.txt"', check: ['false'], ask: false }
  const shown = async (id: string, more: object): Promise<readonly Record<string, unknown>[]> => {
    const [ended, later] = [project.look({ json: true }), project.look({ json: true })]
    expect(await task(ended, { ...flags, id, ...more }, ['work'])).toBe(3)
    await show(later, id)
    return [...ended.documents, ...later.documents] as Record<string, unknown>[]
  }
  const [stopped, shownStopped] = await shown('broken', { maxIterations: '8', guard: ['circuit_breaker={ failures_max: 2 }'] })
  expect(stopped?.['odds']).toMatchObject({ given: expect.any(Number) as number })
  expect(stopped?.['odds']).toEqual(shownStopped?.['odds'])
  const [atMaximum, shownAtMaximum] = await shown('used-up', { maxIterations: '2' })
  expect(atMaximum?.['odds']).toBeUndefined()
  expect(atMaximum?.['oddsIfRaised']).toMatchObject({ iterationsMax: expect.any(Number) as number })
  expect(atMaximum?.['oddsIfRaised']).toEqual(shownAtMaximum?.['oddsIfRaised'])
  const done = project.look({ json: true })
  const reached = { id: 'done', agentCommand: 'touch done.txt', check: ['test -f done.txt'] }
  expect(await task(done, { ...flags, ...reached }, ['work'])).toBe(0)
  expect(done.documents[0]).not.toHaveProperty('odds')
})

test('CLI-257 an empty answer is no answer', async () => {
  await project.loop({ passesAt: 99, goal: 'work' }).run('stuck')
  await project.close()
  await expect(answer(project.look(), {}, 'stuck', ' ')).rejects.toThrow('The answer to run stuck is empty')
})

test.each(['continue', 'accept', 'abort'])(
  'SAFE-4 of twelve simultaneous answers one is taken, and the others learn which: %s',
  async (choice) => {
    await project.loop({ passesAt: 99, goal: 'work' }).run('stuck')
    await project.close()
    const notes = Array.from({ length: 12 }, (_, index) => `note ${index}`)
    const results = await Promise.allSettled(notes.map((note) => answer(project.look(), { note }, 'stuck', choice)))
    const taken = results.findIndex(({ status }) => status === 'fulfilled')
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [(result.reason as Error).message] : []))
    expect(refused).toEqual(
      Array.from(
        { length: 11 },
        () => `Run stuck was answered already, with: ${choice}, "note ${taken}". Continue with: pawl resume stuck`,
      ),
    )
    const events = await withStore(project.look(), (store) => store.read('stuck'))
    expect(events.filter(({ type }) => type === 'escalation.answered')).toHaveLength(1)
  },
)

test("SAFE-5 free words at a person's review are asked back, not taken as Reject", async () => {
  const flags = { id: 'seen', agentCommand: 'sh -c "echo more >> work.txt"', check: ['true'], reviewer: 'person', ask: false }
  expect(await task(project.look(), flags, ['work'])).toBe(3)
  await expect(answer(project.look(), {}, 'seen', 'Looks good to me')).rejects.toThrow(
    'Do your words approve the work or reject it? pawl answer seen approve --note "Looks good to me"   or   pawl answer seen reject',
  )
  const events = await withStore(project.look(), (store) => store.read('seen'))
  expect(events.map(({ type }) => type)).not.toContain('escalation.answered')
})

test('CLI-521 "End the run" takes effect at once, without a resume', async () => {
  const flags = { id: 'over', agentCommand: 'sh -c "echo more >> work.txt"', check: ['false'], maxIterations: '1', ask: false }
  expect(await task(project.look(), flags, ['work'])).toBe(3)
  const look = project.look()
  expect(await answer(look, {}, 'over', 'abort')).toBe(0)
  expect(look.out[0]).toContain('The run is aborted.')
})

function header({ out }: Look): string | undefined {
  return out.find((line) => line.includes('· max '))
}

test('CLI-404 the header of a run that continues after an answer says the limits that hold now', async () => {
  const flags = { id: 'stuck', agentCommand: 'sh -c "echo more >> work.txt"', check: ['false'], maxIterations: '2', ask: false }
  const maximum = async () => {
    const shown = project.look({ json: true })
    await show(shown, 'stuck')
    return /maxIterations\(iterationsMax (\d+)\)/.exec(JSON.stringify(shown.documents[0]))?.[1]
  }
  const first = project.look()
  expect(await task(first, flags, ['work'])).toBe(3)
  expect(header(first)).toContain('max 2 iterations')
  const goneOn = project.look()
  expect(await answer(goneOn, { resume: true }, 'stuck', 'continue')).toBe(3)
  expect(Number(await maximum())).toBeGreaterThan(2)
  expect(header(goneOn)).toContain(`max ${await maximum()} iterations`)
  await answer(project.look(), {}, 'stuck', 'continue')
  const later = project.look()
  expect(await resume(later, { ask: false }, 'stuck')).toBe(3)
  expect(header(later)).toContain(`max ${await maximum()} iterations`)
  expect(header(later)).not.toBe(header(goneOn))
})

test('CLI-326 several goals are done one after the other, and a run keeps the tasks it was begun with', async () => {
  const flags = { id: 'both', agentCommand: 'sh -c "echo more >> work.txt"', check: ['true'], reviewer: 'person', ask: false }
  expect(await task(project.look(), flags, ['One', 'Two'])).toBe(3)
  expect(await answer(project.look(), { resume: true }, 'both', 'approve')).toBe(3)
  expect(await answer(project.look({ json: true }), { resume: true }, 'both', 'approve')).toBe(0)
  const shown = project.look({ json: true })
  await show(shown, 'both')
  expect(shown.documents[0]).toMatchObject({
    status: 'completed',
    tasks: [
      { id: 'one', status: 'done', attempts: 1 },
      { id: 'two', status: 'done', attempts: 1 },
    ],
  })
  await project.loop({ passesAt: 99, goal: 'a; b' }).run('single')
  await project.close()
  await expect(task(project.look(), { ...flags, id: 'single' }, ['a', 'b'])).rejects.toThrow('exists with other tasks')
})

test.each([
  [{ agentCommand: 'no-such-agent-here', check: ['true'] }, 'agent.missing', '`no-such-agent-here` not found on PATH.'],
  [{ agent: 'tinker', check: ['no-such-check-here now'] }, 'check.missing', '`no-such-check-here` not found on PATH.'],
])(
  'CLI-512 a run whose agent or check program is missing does not begin, and the error says how to fix it',
  async (flags, code, message) => {
    const look = project.look()
    const refused: unknown = await task(look, { ...flags, ask: false, id: 'missing' }, ['work']).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code, message: expect.stringContaining(message) })
    expect((refused as Error).message.split('\n').length).toBeLessThanOrEqual(3)
    const listed = project.look({ json: true })
    await ls(listed)
    expect(listed.documents[0]).toEqual([])
  },
)

test('CLI-512 a run in a git repository does not begin without git', async () => {
  const repository = testProject()
  const bin = mkdtempSync(join(tmpdir(), 'pawl-bin-'))
  symlinkSync('/bin/true', join(bin, 'true'))
  vi.stubEnv('PATH', bin)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(bin, { recursive: true })
    repository.remove()
  })
  const flags = { agentCommand: 'true', check: ['true'], ask: false, id: 'without-git' }
  await expect(task(repository.look(), flags, ['work'])).rejects.toMatchObject({
    code: 'workspace.git-missing',
    message: '`git` not found on PATH.\nInstall it: https://git-scm.com',
  })
  const listed = repository.look({ json: true })
  await ls(listed)
  expect(listed.documents[0]).toEqual([])
})

test('GUARD-251 with extend_while_improving a run has more iterations while each is better, and shows the limit that holds', async () => {
  writeFileSync(
    join(project.root, 'check.sh'),
    `echo TAP version 13; echo 1..9; for n in 1 2 3 4 5 6 7 8 9; do grep -q "line $n" work.txt && echo "ok $n - test $n" || echo "not ok $n - test $n"; done; grep -q "line 9" work.txt\n`,
  )
  writeFileSync(join(project.root, 'pawl.yaml'), 'max_iterations: 1\nextend_while_improving: 9\n')
  const agentCommand = `sh -c 'test "$PAWL_ITERATION" -gt 3 || echo "line $PAWL_ITERATION" >> work.txt'`
  const look = project.look()
  const guard = ['worth_continuing=off']
  expect(await task(look, { id: 'better', agentCommand, check: ['sh check.sh'], guard, ask: false }, ['work'])).toBe(3)
  const text = look.out.join('\n')
  expect(text).toContain('max 1 iteration, up to 9 while improving')
  for (const line of [/1\/1 .* 9 → 8 failing/, /2\/2 .* 8 → 7 failing/, /3\/3 .* 7 → 6 failing/, /4\/4 .* 6 → 6 failing/])
    expect(text).toMatch(line)
  expect(text).toContain('4/4 iterations')
  const shown = project.look({ json: true })
  await show(shown, 'better')
  expect(shown.documents[0]).toMatchObject({ iterationsDone: 4, iterationsMax: 4 })
  // A flag sets another ceiling.
  const flags = { id: 'lower', agentCommand, check: ['sh check.sh'], guard, extendWhileImproving: '2', ask: false }
  const lower = project.look({ json: true })
  writeFileSync(join(project.root, 'work.txt'), '')
  await task(lower, flags, ['work'])
  expect(lower.documents[0]).toMatchObject({ iterations: 2 })
})

test('BOX-27 an isolation for a role that nobody plays is refused before any work', async () => {
  const flags = { agentCommand: 'true', check: ['true'], roleIsolation: ['codr=sandbox'], ask: false, id: 'codr' }
  await expect(task(project.look(), flags, ['x'])).rejects.toThrow('names the role "codr"; did you mean "coder"?')
})
