import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { userGit } from '../support/temporary-repository.ts'
import { ELSEWHERE_ONCE, pidsElsewhere } from './elsewhere.ts'
import { isRunning, makeProject, type Project, until } from './project.ts'
import { seededNumbers } from './seeded-numbers.ts'

describe.concurrent('a runner that is killed with SIGKILL', () => {
  test('RUN-101 an agent that outlived its runner is ended, its half-done work saved and undone, before it starts again', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script('agent.sh', INTERRUPTED_AGENT)
    const runner = project.start([
      'task',
      'a whole file',
      '--id',
      'crash',
      '--agent-command',
      agent,
      '--check',
      'grep -q whole a.txt',
    ])
    const [leader, grandchild] = (await project.noted('pids')).split(' ').map(Number)
    runner.signal('SIGKILL')
    await runner.finished
    expect([leader, grandchild].map((pid) => isRunning(pid as number))).toEqual([true, true])

    const resumed = await project.pawl('resume', 'crash')
    expect(resumed).toMatchObject({ code: 0, stderr: '' })
    expect(resumed.stdout).toContain('half-done work in 2 files (a.txt, half.txt), kept as refs/pawl/crash/saved-1')
    expect(await project.noted('seen')).toBe('survivors: none\nfiles: a.txt\nfirst\n')
    expect(await project.read('a.txt')).toBe('first\nwhole\n')
    expect(await userGit(project.root, 'show', 'refs/pawl/crash/saved-1:a.txt', 'refs/pawl/crash/saved-1:half.txt')).toBe(
      'first\nhalf\nhalf\n',
    )
    expect((await project.of('crash', 'work.abandoned')).map(({ data }) => data)).toEqual([
      { key: '2/coder/0', reason: expect.stringContaining('was still at work and was ended') },
    ])
    expect(await iterations(project, 'crash')).toEqual({ started: [1, 2], ended: [1, 2] })
    expect(await project.pawl('verify', 'crash')).toMatchObject({ code: 0 })
  })

  test.runIf(process.platform === 'linux')(
    'RUN-309 what an agent put into another process group or session is ended too before it starts again, whether or not the agent itself still lives',
    async (context) => {
      const project = await makeProject(context)
      const agent = await project.script('agent.sh', ELSEWHERE_ONCE)
      const runner = project.start(['task', 'good', '--id', 'far', '--agent-command', agent, '--check', 'grep -q good a.txt'])
      const pids = await pidsElsewhere(project)
      runner.signal('SIGKILL')
      await runner.finished
      const leader = (await project.happened('far', 'work.started')).data.process?.pid ?? 0
      if (isRunning(leader)) process.kill(leader, 'SIGKILL')
      expect(pids.map(isRunning)).toEqual([true, true])

      expect(await project.pawl('resume', 'far')).toMatchObject({ code: 0 })
      expect(pids.map(isRunning)).toEqual([false, false])
      expect(await userGit(project.root, 'status', '--porcelain')).toBe(' M a.txt\n')
    },
  )

  test('RUN-102 a check that outlived its runner is ended and run again, the work before it is not', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script('agent.sh', 'cat >/dev/null; echo x >>"$NOTES/attempts"; echo good >a.txt')
    const check = await project.script(
      'check.sh',
      `grep -q good a.txt || exit 1
      if mkdir "$NOTES/once" 2>/dev/null; then echo $$ >"$NOTES/pid"; wait_for never; fi`,
    )
    const runner = project.start(['task', 'good', '--id', 'crash', '--agent-command', agent, '--check', check])
    const pid = Number(await project.noted('pid'))
    runner.signal('SIGKILL')
    await runner.finished
    expect(isRunning(pid)).toBe(true)

    expect(await project.pawl('resume', 'crash')).toMatchObject({ code: 0 })
    expect(isRunning(pid)).toBe(false)
    expect(await project.noted('attempts')).toBe('x\n')
    expect((await project.events('crash')).map(({ type }) => type)).not.toContain('work.abandoned')
    expect(await project.of('crash', 'check.passed')).toHaveLength(1)
    expect(await iterations(project, 'crash')).toEqual({ started: [1], ended: [1] })
  })

  test.for(['another run', 'a person'])(
    'SAFE-18 resuming a crashed run never undoes what %s did since without asking',
    async (who, context) => {
      const project = await makeProject(context)
      const agent = await project.script(
        'agent.sh',
        `cat >/dev/null
      if [ -e "$NOTES/begun" ]; then echo whole >a.txt; exit; fi
      echo half >half.txt; echo x >"$NOTES/begun"; wait_for never`,
      )
      const runner = project.start([
        'task',
        'whole',
        '--id',
        'crashed',
        '--agent-command',
        agent,
        '--check',
        'grep -q whole a.txt',
      ])
      await project.noted('begun')
      runner.signal('SIGKILL')
      await runner.finished
      if (who === 'another run') {
        const other = [
          'task',
          'b',
          '--id',
          'other',
          '--agent-command',
          "sh -c 'echo theirs >b.txt'",
          '--check',
          'grep -q theirs b.txt',
        ]
        await project.pawl(...other)
      } else {
        await project.write('b.txt', 'theirs\n')
        // Long after the runner was last seen.
        const later = new Date(Date.now() + 60_000)
        await utimes(join(project.root, 'b.txt'), later, later)
      }
      for (let attempt = 0; attempt < 2; attempt++) {
        const refused = await project.pawl('resume', 'crashed')
        expect(refused.code).not.toBe(0)
        expect(refused.stderr).toContain(who === 'another run' ? 'run other changed' : '1 file (b.txt) changed')
        expect(refused.stderr).toContain('pawl resume crashed --undo-changes')
        expect(await project.read('b.txt')).toBe('theirs\n')
      }
      expect(await project.pawl('resume', 'crashed', '--undo-changes')).toMatchObject({ code: 0 })
      expect(await userGit(project.root, 'show', 'refs/pawl/crashed/saved-1:b.txt')).toBe('theirs\n')
      expect(await project.read('a.txt')).toBe('whole\n')
    },
  )

  test('WORK-87 a run whose half-done work is to be undone pauses while another branch is checked out, and continues back on its own', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script(
      'agent.sh',
      `cat >/dev/null
      if [ -e "$NOTES/begun" ]; then echo whole >a.txt; exit; fi
      echo half >half.txt; echo x >"$NOTES/begun"; wait_for never`,
    )
    await userGit(project.root, 'switch', '--quiet', '--create', 'hotfix')
    await project.write('hotfix.md', 'fixed\n')
    await userGit(project.root, 'add', 'hotfix.md')
    await userGit(project.root, 'commit', '--quiet', '--message=hotfix')
    await userGit(project.root, 'switch', '--quiet', 'main')
    const runner = project.start(['task', 'whole', '--id', 'br', '--agent-command', agent, '--check', 'grep -q whole a.txt'])
    await project.noted('begun')
    runner.signal('SIGKILL')
    await runner.finished
    await userGit(project.root, 'switch', '--quiet', 'hotfix')

    const refused = await project.pawl('resume', 'br')
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('"git switch main"')
    expect(await userGit(project.root, 'status', '--porcelain')).toBe('?? half.txt\n')
    expect((await project.of('br', 'run.paused')).at(-1)?.data.reason).toContain('hotfix is checked out')

    await userGit(project.root, 'switch', '--quiet', 'main')
    expect(await project.pawl('resume', 'br')).toMatchObject({ code: 0 })
    expect(await userGit(project.root, 'status', '--porcelain')).toBe(' M a.txt\n')
  })

  test(
    'RUN-103 however often and whenever it is killed, the history is that of an undisturbed run',
    async (context) => {
      const [calm, shaken] = [
        await makeProject(context, { files: FIVE_STEPS }),
        await makeProject(context, { files: FIVE_STEPS }),
      ]
      const task = ['task', 'five steps', '--id', 'steps', '--agent-command', 'sh agent.sh', '--check', 'sh check.sh', '-n', '9']
      const undisturbed = calm.pawl(...task)
      const random = seededNumbers(20_261_116)
      let kills = 0
      for (; kills < KILLS; kills++) {
        const before = (await shaken.events('steps')).length
        const runner = shaken.start(kills === 0 ? task : ['resume', 'steps'])
        const events = before + 2 + random(6)
        await until('more events', async () =>
          runner.isOver() || (await shaken.events('steps')).length >= events ? true : undefined,
        )
        await new Promise((resolve) => setTimeout(resolve, random(40)))
        if (runner.isOver()) break
        runner.signal('SIGKILL')
        await runner.finished
      }
      expect(kills).toBeGreaterThanOrEqual(KILLS / 2)
      const last = await shaken.pawl('resume', 'steps')
      expect([last.code, (await undisturbed).code]).toEqual([0, 0])
      expect(await history(shaken, 'steps')).toEqual(await history(calm, 'steps'))
      expect(await shaken.read('steps.txt')).toBe('step 1\nstep 2\nstep 3\nstep 4\nstep 5\n')
      expect(await shaken.isWhole('steps')).toBe(true)
    },
    KILLING_MS_MAX,
  )
})

const KILLS = 8

/** Ten starts of the program one after the other, on a machine that may be busy. */
const KILLING_MS_MAX = 180_000

/** Works in iteration 1, hangs with half of the work done in iteration 2, and does it whole when asked again. */
const INTERRUPTED_AGENT = `
export NOTES
cat >/dev/null
alive() { if [ -e /proc/self ]; then grep '^State' "/proc/$1/status" 2>/dev/null | grep -qv Z; else ps -o stat= -p "$1" | grep -qv Z; fi; }
[ "$PAWL_ITERATION" = 1 ] && { echo first >a.txt; exit 0; }
if [ -e "$NOTES/pids" ]; then
  survivors=none
  for pid in $(cat "$NOTES/pids"); do alive "$pid" && survivors=$pid; done
  { echo "survivors: $survivors"; echo "files: $(ls)"; cat a.txt; } >"$NOTES/seen"
  echo whole >>a.txt
  exit 0
fi
echo half >>a.txt
echo half >half.txt
sh -c 'sleep 60 & echo "$!" >"$NOTES/grandchild"; wait' &
wait_for grandchild
echo "$$ $(cat "$NOTES/grandchild")" >"$NOTES/pids.new"
mv "$NOTES/pids.new" "$NOTES/pids"
wait_for never
`

/** Appends in two moves, so that half-done work would show; the same files in every project, so that the trees can be compared. */
const FIVE_STEPS = {
  'steps.txt': '',
  'agent.sh': 'cat >/dev/null\nprintf "step " >>steps.txt\nsleep 0.15\necho "$PAWL_ITERATION" >>steps.txt\n',
  'check.sh': `sleep 0.05
echo 'TAP version 13'
for step in 1 2 3 4 5; do grep -q "^step $step$" steps.txt && echo "ok $step - step $step" || echo "not ok $step - step $step"; done
echo 1..5
test "$(wc -l <steps.txt)" -eq 5
`,
}

async function iterations(project: Project, run: string) {
  const numbers = async (type: 'iteration.started' | 'iteration.ended') =>
    (await project.of(run, type)).map(({ data }) => data.iteration)
  return { started: await numbers('iteration.started'), ended: await numbers('iteration.ended') }
}

/** What a run came to, without times, places in the journal and costs. */
async function history(project: Project, run: string) {
  return (await project.events(run)).flatMap((event): readonly object[] => {
    switch (event.type) {
      case 'iteration.started':
        return [{ type: event.type, iteration: event.data.iteration }]
      case 'iteration.ended': {
        const { iteration, verdict, tree, filesChanged } = event.data
        return [{ type: event.type, iteration, verdict, tree, filesChanged }]
      }
      case 'check.failed':
      case 'check.passed': {
        const { key, tree, failures } = event.data
        return [{ type: event.type, key, tree, failures }]
      }
      case 'decision.made': {
        const { iteration, action, message, trips } = event.data
        return [{ type: event.type, iteration, action, message, trips }]
      }
      case 'run.completed':
        return [{ type: event.type, tree: event.data.tree, iteration: event.data.iteration }]
      default:
        return []
    }
  })
}
