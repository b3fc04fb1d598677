import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { transcriptsOf } from '../../src/agents/sessions.ts'
import { maxIterations } from '../../src/guards/index.ts'
import type { ProcessIdentity } from '../../src/core/event-data.ts'
import type { SealedEvent } from '../../src/stores/store.ts'
import { isProcessAlive } from '../../src/process/process-identity.ts'
import { sinceUser, type ModelReply, type ModelTurn } from '../../src/testing/model-server/index.ts'
import { startPawl } from '../e2e/pawl-process.ts'
import { container } from '../../src/sandbox/container.ts'
import { sandbox } from '../../src/sandbox/sandbox.ts'
import type { SandboxOptions } from '../../src/sandbox/settings.ts'
import { testImage } from '../support/container-image.ts'
import { agentStage, type AgentStage } from './agent-session.ts'
import { drivenAgents } from './agents.ts'
import { drivenRun, hurriedClock, RUN } from './driven-run.ts'
import { eventsIn, eventsOf, settingsOf, until } from './driven-project.ts'
import { FAILING_PROJECT, hastyModel } from './failing-project.ts'

/** Answers so slowly that nothing comes of it. */
/** One that is refused tries again by itself for a while before it says so. */
const TRIES_AGAIN_MS_MAX = 220_000

const HANGING: ModelReply = { fault: 'slow-stream', gapMs: 120_000, say: 'Too late.' }

/** The image has Node; the agents are read from where they are on this machine. */
const made = testImage()
const BOXES = [
  { name: 'sandbox', make: sandbox },
  {
    name: 'container',
    make: (options: SandboxOptions) => container({ ...options, image: 'image' in made ? made.image : 'none' }),
  },
] as const

/** The names in a folder, or a file's text. */
function contentAt(path: string): string | readonly string[] | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isDirectory() ? readdirSync(path) : found && readFileSync(path, 'utf8')
}

/** The files below a folder that have the goal in them. Databases keep text as it is, too. */
function withGoal(folder: string): string {
  return spawnSync('grep', ['-rl', 'Make add add', folder], { encoding: 'utf8' }).stdout
}

describe.each(drivenAgents)('$name, driven by Pawl', (agent) => {
  test('AGENTS-11 fixes a bug in two iterations, and its tokens and tools are on record', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    await using stage = await agentStage(agent, { files: FAILING_PROJECT, script: hastyModel(['a - b', 'a * b', 'a + b']) })
    await using run = await drivenRun(agent, stage, { guards: [maxIterations(3)] })
    expect(await run.drive()).toMatchObject({ status: 'completed' })
    expect(await contentOf(stage)).toContain('a + b')
    const events = await run.events()
    const finished = eventsOf(events, 'work.finished')
    expect(finished).toHaveLength(2)
    for (const { data, by } of finished) {
      expect(data).toMatchObject({ tokens: 330, session: expect.any(String), summary: expect.stringContaining('All done.') })
      expect(by).toMatchObject({ role: 'agent', name: agent.name })
    }
    // Every iteration begins in its own context, unless it is set to continue.
    expect(new Set(finished.map(({ data }) => data.session)).size).toBe(2)
    for (const { data } of eventsOf(events, 'work.acted'))
      expect(data.actions.every(({ result }) => result !== undefined)).toBe(true)
    expect(eventsOf(events, 'work.acted').map(({ data }) => data.actions.length)).toEqual([2, 2])
  })

  test.for(BOXES)(
    'AGENTS-26 in a $name it logs in, works, and continues with its session; the check runs there too',
    async ({ make }, context) => {
      context.skip(agent.missing !== undefined, agent.missing)
      const trouble = await make({}).ready()
      context.skip(trouble !== undefined, trouble?.message)
      await using stage = await agentStage(agent, { files: FAILING_PROJECT, script: hastyModel(['a - b', 'a * b', 'a + b']) })
      // A container has the user's home folder.
      vi.stubEnv('HOME', stage.home)
      onTestFinished(() => void vi.unstubAllEnvs())
      const isolation = make({ allow: [new URL(stage.model.url).host] })
      // Its settings can't be changed there, which must not keep it from working.
      const { settings = [] } = agent.make(agent.options).needs ?? {}
      for (const path of settings.filter((each) => !existsSync(each) && !/\.(?:env|jsonc|toml)$/.test(each))) {
        mkdirSync(path.endsWith('.json') ? dirname(path) : path, { recursive: true })
        if (path.endsWith('.json')) writeFileSync(path, '{}')
      }
      const before = settings.map(contentAt)
      await using run = await drivenRun(agent, stage, { guards: [maxIterations(3)], agent: { session: 'continue' }, isolation })
      expect(await run.drive()).toMatchObject({ status: 'completed' })
      expect(await contentOf(stage)).toContain('a + b')
      expect(settings.map(contentAt)).toEqual(before)
      const finished = eventsOf(await run.events(), 'work.finished')
      expect(finished).toHaveLength(2)
      expect(new Set(finished.map(({ data }) => data.session)).size).toBe(1)
    },
  )

  test('BOX-25 keeps its sessions in a folder of the run, logged in as it is, and nothing of them in its home', async (context) => {
    const trouble = await sandbox().ready()
    context.skip(agent.missing !== undefined, agent.missing)
    context.skip(trouble !== undefined, trouble?.message)
    await using stage = await agentStage(agent, { files: FAILING_PROJECT, script: hastyModel(['a - b', 'a * b', 'a + b']) })
    const state = join(stage.home, '..', 'state')
    vi.stubEnv('XDG_STATE_HOME', state)
    onTestFinished(() => void vi.unstubAllEnvs())
    const isolation = sandbox({ allow: [new URL(stage.model.url).host] })
    const options = { guards: [maxIterations(3)], agent: { session: 'continue' }, isolation, sessions: true } as const
    await using run = await drivenRun(agent, stage, options)
    expect(await run.drive()).toMatchObject({ status: 'completed' })
    const finished = eventsOf(await run.events(), 'work.finished')
    expect(new Set(finished.map(({ data }) => data.session)).size).toBe(1)
    expect(await transcriptsOf(agent.name, stage.env)).toEqual([])
    expect(withGoal(stage.home)).toBe('')
    expect(withGoal(state)).not.toBe('')
  })

  test('AGENTS-12 is let go when a guard trips, and nothing of it continues', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    await using stage = await agentStage(agent, {
      files: FAILING_PROJECT,
      script: hastyModel(['a - b', 'a * b', 'a / b', 'a % b']),
    })
    await using run = await drivenRun(agent, stage, { guards: [maxIterations(2)] })
    expect(await run.drive()).toMatchObject({ status: 'escalated' })
    const events = await run.events()
    expect(eventsOf(events, 'guard.tripped').map(({ data }) => data.guard)).toContain('maxIterations')
    const asked = stage.model.requests.length
    for (const identity of processesOf(events)) expect(isProcessAlive(identity)).toBe(false)
    expect(stage.model.requests).toHaveLength(asked)
    expect(await contentOf(stage)).toContain('a / b')
  })

  test('AGENTS-13 meets a limit of its provider, which is waited for, and then does the work', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    let isLimited = true
    const model = hastyModel(['a - b', 'a + b'])
    const limit: ModelReply = { fault: 'rate-limited', resetInSeconds: 7200, isUsedUp: true }
    await using stage = await agentStage(agent, {
      files: FAILING_PROJECT,
      script: (project) => (turn) => (isLimited ? limit : model(project)(turn)),
    })
    const clock = hurriedClock(() => void (isLimited = false))
    const timeoutMs = agent.isEndedByLimit ? TRIES_AGAIN_MS_MAX : agent.enoughMs
    await using run = await drivenRun(agent, stage, { guards: [maxIterations(1)], clock, agent: { timeoutMs } })
    expect(await run.drive()).toMatchObject({ status: 'completed', iterations: 1 })
    const events = await run.events()
    expect(eventsOf(events, 'work.failed').map(({ data }) => data.fault)).toEqual(['provider-limit'])
    expect(events.map(({ type }) => type)).toContain('timer.fired')
  })

  test('AGENTS-14 killed in mid-edit by somebody else, it is asked about, and continues with what it left', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    let isHanging = true
    const model = hastyModel(['a - b', 'a * b', 'a + b'])
    await using stage = await agentStage(agent, {
      files: FAILING_PROJECT,
      script: (project) => async (turn) =>
        isHanging && hasEdited(turn, await contentOf({ project })) ? HANGING : model(project)(turn),
    })
    await using run = await drivenRun(agent, stage, { guards: [maxIterations(3)] })
    const driven = run.drive((event) => {
      if (event.type === 'work.started') void endWhenEdited(stage, event)
    })
    expect(await driven).toMatchObject({ status: 'escalated' })
    isHanging = false
    const [failed] = eventsOf(await run.events(), 'work.failed')
    expect(failed?.data).toMatchObject({ fault: 'environment', reason: 'failed' })
    await run.answer('1')
    expect(await run.drive()).toMatchObject({ status: 'completed' })
    expect(await contentOf(stage)).toContain('a + b')
  })

  test('AGENTS-15 hanging, it is ended at its time limit with its whole group, and the next iteration does the work', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    let isHanging = true
    const model = hastyModel(['a - b', 'a + b'])
    await using stage = await agentStage(agent, {
      files: FAILING_PROJECT,
      script: (project) => (turn) => (isHanging ? HANGING : model(project)(turn)),
    })
    await using run = await drivenRun(agent, stage, { guards: [maxIterations(2)], agent: { timeoutMs: agent.enoughMs } })
    const first: ProcessIdentity[] = []
    const outcome = await run.drive((event) => {
      if (event.type === 'work.started' && event.data.process) first.push(event.data.process)
      if (event.type === 'work.failed') isHanging = false
    })
    expect(outcome).toMatchObject({ status: 'completed', iterations: 2 })
    expect(eventsOf(await run.events(), 'work.failed').map(({ data }) => [data.reason, data.fault])).toEqual([
      ['timed-out', 'agent'],
    ])
    for (const identity of first) expect(isProcessAlive(identity)).toBe(false)
  })

  test('AGENTS-16 that prints a gigabyte does its work all the same, and our memory stays as it was', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    await using stage = await agentStage(agent, { files: FAILING_PROJECT, script: hastyModel(['a - b', 'a + b']) })
    const flood = join(stage.home, agent.name)
    await writeFile(
      flood,
      `#!/bin/sh\nhead -c 500000000 /dev/zero | tr '\\0' 'x'\necho\nyes '${'a line that is no event '.repeat(6)}' | head -c 500000000\nexec '${agent.program}' "$@"\n`,
    )
    await chmod(flood, 0o755)
    await using run = await drivenRun(agent, stage, { guards: [maxIterations(1)], agent: { program: flood } })
    const before = process.memoryUsage().rss
    let peak = before
    const watching = setInterval(() => void (peak = Math.max(peak, process.memoryUsage().rss)), 20)
    try {
      expect(await run.drive()).toMatchObject({ status: 'completed' })
    } finally {
      clearInterval(watching)
    }
    expect((peak - before) / 1024 / 1024).toBeLessThan(150)
    const [finished] = eventsOf(await run.events(), 'work.finished')
    expect(finished?.data.output?.bytesCut).toBeGreaterThan(999_000_000)
    expect(finished?.data.summary).toContain('too long and not read')
  })

  test('AGENTS-17 continues with its own session after Pawl itself was killed', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    let isHanging = true
    const model = hastyModel(['a - b', 'a * b', 'a + b'])
    await using stage = await agentStage(agent, {
      files: FAILING_PROJECT,
      script: (project) => async (turn) =>
        isHanging && turn.tools.length > 0 && (await contentOf({ project })).includes('a * b') && sinceUser(turn).length === 0
          ? HANGING
          : model(project)(turn),
    })
    await writeFile(join(stage.project, 'pawl.yaml'), settingsOf(agent))
    const options = { cwd: stage.project, home: stage.home, env: stage.env }
    const killed = startPawl(['task', 'Make add add.', '--id', RUN, '--no-ask'], options)
    await until(async () => (await eventsIn(stage)).filter(({ type }) => type === 'work.started').length === 2)
    await until(async () => stage.model.requests.length > 3 || killed.isOver())
    killed.signal('SIGKILL')
    await killed.finished
    isHanging = false
    const asked = stage.model.requests.length
    const resumed = await startPawl(['resume', RUN, '--no-ask'], options).finished
    expect(resumed).toMatchObject({ code: 0 })
    const events = await eventsIn(stage)
    expect(eventsOf(events, 'work.abandoned')).toHaveLength(1)
    const sessions = eventsOf(events, 'work.finished').map(({ data }) => data.session)
    expect(sessions).toHaveLength(2)
    expect(new Set(sessions).size).toBe(1)
    // The model is shown what was said before Pawl was killed.
    const turns = stage.model.requests.slice(asked).flatMap(({ turn }) => turn ?? [])
    expect(turns.some(({ messages }) => messages.filter(({ calls }) => calls.length > 0).length >= 2)).toBe(true)
    for (const { data } of eventsOf(events, 'work.finished')) expect(data.tokens).toBeGreaterThanOrEqual(330)
  })

  test('AGENTS-18 set to read, it changes nothing, whatever the model calls', async (context) => {
    context.skip(agent.missing !== undefined, agent.missing)
    await using stage = await agentStage(agent, { files: FAILING_PROJECT, script: wilfulModel })
    await using run = await drivenRun(agent, stage, { guards: [maxIterations(1)], agent: { permissionMode: 'read' } })
    expect(await run.drive()).toMatchObject({ status: 'escalated' })
    const events = await run.events()
    expect(eventsOf(events, 'work.finished')).toHaveLength(1)
    expect(eventsOf(events, 'iteration.ended').map(({ data }) => data.filesChanged)).toEqual([0])
    expect(await contentOf(stage)).toContain('a - b')
  })
})

/** A model that calls every tool that could write a file, one after the other. */
function wilfulModel(project: string): (turn: ModelTurn) => ModelReply {
  const path = join(project, 'written.txt')
  const command = `echo x > '${path}'`
  const left = [
    ...['Bash', 'bash', 'run_shell_command'].map((name) => ({ name, input: { command, description: 'Writes a file' } })),
    { name: 'exec_command', input: { cmd: command } },
    ...['Write', 'write_file'].map((name) => ({ name, input: { file_path: path, content: 'x' } })),
    { name: 'write', input: { filePath: path, content: 'x' } },
  ]
  return ({ tools }) => {
    const index = left.findIndex(({ name }) => tools.includes(name))
    const [call] = index === -1 ? [] : left.splice(index, 1)
    return call ? { call } : { say: 'All done.' }
  }
}

/** Whether the edit of this turn is made: the agent has read and written. */
function hasEdited(turn: ModelTurn, content: string): boolean {
  return turn.tools.length > 0 && content.includes('a * b') && sinceUser(turn).length > 0
}

async function contentOf({ project }: Pick<AgentStage, 'project'>): Promise<string> {
  return readFile(join(project, 'add.js'), 'utf8')
}

/** Ends the agent, as somebody else would, when it has begun to edit. */
async function endWhenEdited(
  stage: AgentStage,
  { data: { process: identity } }: SealedEvent & { readonly type: 'work.started' },
): Promise<void> {
  if (!identity) return
  await until(async () => (await contentOf(stage)).includes('a * b'))
  await sleep(300)
  if (isProcessAlive(identity)) process.kill(-identity.pid, 'SIGKILL')
}

function processesOf(events: readonly SealedEvent[]): readonly ProcessIdentity[] {
  return eventsOf(events, 'work.started').flatMap(({ data }) => data.process ?? [])
}
