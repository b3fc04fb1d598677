import { describe, expect, test } from 'vitest'
import { CAN_HAVE_TERMINAL } from './pawl-process.ts'
import { makeProject, type Project } from './project.ts'

const ESCAPE = '\u001b'

describe.concurrent('what the command line prints', () => {
  test('RUN-128 with --json every command prints one JSON document on standard output, or one a line if it lists events', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script('agent.sh', 'cat >/dev/null; echo "line $PAWL_ITERATION" >>a.txt')
    const task = ['task', 'x', '--id', 'json', '--agent-command', agent, '--check', 'grep -q "line 9" a.txt', '-n', '1', '--json']
    expect(await document(project, ...task)).toMatchObject([3, { run: 'json', status: 'escalated', exitCode: 3 }])
    const [work] = await project.of('json', 'work.started')
    const read = await Promise.all([
      document(project, 'answer', 'json', '--json'),
      document(project, 'ls', '--json'),
      document(project, 'show', 'json', '--json'),
      document(project, 'text', 'json', String(work?.seq), '--json'),
      document(project, 'diff', 'json', '--json'),
      document(project, 'verify', '--json'),
      document(project, 'verify', 'json', '--json'),
      document(project, 'doctor', '--json'),
      document(project, 'export', 'json', '--format', 'json', '--json'),
    ])
    expect(read).toMatchObject([
      [3, { run: 'json', question: {} }],
      [0, [{ run: 'json', status: 'escalated' }]],
      [0, { run: 'json', status: 'escalated' }],
      [0, { brief: expect.stringContaining('# Goal\nx\n') }],
      [0, { run: 'json', iteration: 1, patch: expect.stringContaining('+line 1') }],
      [0, [{ run: 'json', ok: true }]],
      [0, { run: 'json', ok: true }],
      [0, { ok: true }],
      [0, { run: 'json', events: expect.any(Array) }],
    ])
    const events = (await project.events('json')).map(({ hash }) => hash)
    for (const words of [
      ['log', 'json', '--json'],
      ['export', 'json', '--json'],
    ]) {
      const lines = (await project.pawl(...words)).stdout.trimEnd().split('\n')
      expect(lines.map((line) => JSON.parse(line).hash)).toEqual(events)
    }
    expect(await document(project, 'restore', 'json', '0', '--yes', '--json')).toMatchObject([
      0,
      { status: 'restored', savedAs: expect.any(String) },
    ])
    expect(await document(project, 'init', '--json')).toMatchObject([0, { written: true }])
    expect(await document(project, 'answer', 'json', '1', '--json')).toMatchObject([
      0,
      { run: 'json', choice: expect.any(String) },
    ])
    expect(await document(project, 'resume', 'json', '-n', '2', '--json')).toMatchObject([3, { run: 'json', iterations: 2 }])
    expect(await document(project, 'abort', 'json', '--json')).toMatchObject([0, { run: 'json', status: 'aborted' }])
  })

  test('RUN-129 with --json an error, of usage too, is one JSON document', async (context) => {
    const project = await makeProject(context)
    const errors = await Promise.all([
      document(project, 'show', 'nope', '--json'),
      document(project, 'shwo', 'nope', '--json'),
      document(project, 'show', '--json'),
      document(project, 'task', 'x', '--chekc', 'true', '--json'),
    ])
    expect(errors).toMatchObject([
      [2, { error: { code: 'run.unknown', message: expect.stringContaining('There is no run "nope"') } }],
      [2, { error: { code: 'usage.command-line', message: expect.stringContaining('Did you mean show?') } }],
      [2, { error: { code: 'usage.command-line', message: "missing required argument 'run'" } }],
      [2, { error: { code: 'usage.command-line', message: expect.stringContaining('Did you mean --check?') } }],
    ])
  })

  test('RUN-130 CLI-435 a typo in a command, of help too, a flag, an agent or pawl.yaml exits with 2 and names what is nearest', async (context) => {
    const [project, configured] = [await makeProject(context), await makeProject(context)]
    await configured.write('pawl.yaml', 'agnet: tinker\nchecks: []\n')
    const typos = await Promise.all([
      project.pawl('resmue', 'x'),
      project.pawl('help', 'resmue'),
      project.pawl('task', 'x', '--max-iteration', '3'),
      project.pawl('task', 'x', '--agent', 'clade', '--check', 'true'),
      configured.pawl('task', 'x'),
    ])
    expect(typos.map(({ code, stdout }) => [code, stdout])).toEqual(typos.map(() => [2, '']))
    expect(typos.map(({ stderr }) => stderr)).toEqual([
      "pawl: unknown command 'resmue' (Did you mean resume?)\n",
      'pawl: There is no command "resmue"; did you mean "resume"?\n',
      "pawl: unknown option '--max-iteration' (Did you mean --max-iterations?)\n",
      expect.stringContaining('There is no agent "clade"; did you mean "claude"?'),
      expect.stringContaining('pawl.yaml:1:1: unknown key "agnet"; did you mean "agent"?'),
    ])
  })

  test('RUN-131 --flag=value is the same as --flag value', async (context) => {
    const project = await makeProject(context)
    const common = { checks: [{ settings: { timeoutMs: 5_000 } }], agent: { settings: { command: ['true'], timeoutMs: 60_000 } } }
    const one = ['--id=one', '--agent-command=true', '--check=true', '--max-iterations=2', '--check-timeout=5s', '--timeout=1m']
    const other = [
      '--id',
      'other',
      '--agent-command',
      'true',
      '--check',
      'true',
      '-n',
      '2',
      '--check-timeout',
      '5s',
      '--timeout',
      '1m',
    ]
    expect((await project.pawl('task', 'x', ...one)).code).toBe(3)
    expect((await project.pawl('task', 'x', ...other)).code).toBe(3)
    const [first, second] = [await project.of('one', 'run.started'), await project.of('other', 'run.started')]
    expect(first[0]?.data).toMatchObject({ config: common })
    expect(first[0]?.data).toEqual(second[0]?.data)
  })

  test('RUN-132 no escape codes if nobody looks; on a terminal there is colour, unless NO_COLOR is set', async (context) => {
    const project = await makeProject(context)
    const words = ['task', 'x', '--id', 'plain', '--agent-command', 'true', '--check', 'false', '-n', '1']
    const piped = [await project.pawl(...words), await project.pawl('show', 'plain'), await project.pawl('show', 'nope')]
    expect(piped.map(({ code }) => code)).toEqual([3, 0, 2])
    expect(piped.filter(({ stdout, stderr }) => (stdout + stderr).includes(ESCAPE))).toEqual([])
    if (!CAN_HAVE_TERMINAL) return
    const [coloured, plain] = await Promise.all(
      [{}, { NO_COLOR: '1' }].map((env) => project.over(project.start(['show', 'plain'], { hasTerminal: true, env }))),
    )
    expect([coloured, plain].map((each) => each?.stdout.includes(ESCAPE))).toEqual([true, false])
    expect(plain?.stdout).toContain('maxIterations')
  })

  test('RUN-133 the reader of the output may leave: looking ends quietly, a driven run continues to its end', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script('agent.sh', 'cat >/dev/null; sleep 0.3; echo good >a.txt')
    const driven = project.start(['task', 'good', '--id', 'pipe', '--agent-command', agent, '--check', 'grep -q good a.txt'])
    driven.closeOutput()
    expect(await project.over(driven)).toMatchObject({ code: 0 })
    expect((await project.events('pipe')).at(-1)?.type).toBe('run.completed')
    const looking = project.start(['log', 'pipe'])
    looking.closeOutput()
    expect(await project.over(looking)).toMatchObject({ code: 0 })
  })
})

/** The exit code of a command and the one JSON document it printed. */
async function document(project: Project, ...words: readonly string[]): Promise<readonly [number | string, unknown]> {
  const { code, stdout } = await project.pawl(...words)
  expect(stdout).toMatch(/^[^\n]+\n$/)
  return [code, JSON.parse(stdout)]
}
