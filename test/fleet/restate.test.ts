import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { makeProject, type Project } from '../e2e/project.ts'
import type { PawlProcess } from '../e2e/pawl-process.ts'
import { freePorts, installRestate, restateMissing } from './restate-server.ts'

const missing = restateMissing()
if (missing) console.warn(`The tests with Restate are skipped: ${missing}.`)

const FILES = {
  'agent.sh': 'sleep 0.3; n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) > n\n',
  'check.sh': '[ "$(cat n 2>/dev/null || echo 0)" -ge 4 ]\n',
  '.gitignore': 'node_modules\n.pawl\n',
}

describe.skipIf(missing !== undefined)('runs that Restate drives', () => {
  test('ENGINE-1 server and process are killed in mid-loop: all runs end, each iteration once, chains verify', async (context) => {
    const project = await makeProject(context, { files: FILES })
    const engine = await Engine.start(project)
    const runs = ['one', 'two', 'three']
    for (const run of runs) await queue(project, run, ['--max-iterations', '8'])
    await project.pawl('engine', 'drive', ...runs, ...engine.flags)
    await until(async () => (await ended(project, 'one')) >= 1)
    engine.kill()
    await engine.restart()
    await until(async () => (await Promise.all(runs.map((run) => status(project, run)))).every((each) => each === 'completed'))
    for (const run of runs) {
      const numbers = (await project.events(run)).filter(({ type }) => type === 'iteration.ended').map(({ data }) => data)
      expect(numbers.map((data) => (data as { readonly iteration: number }).iteration)).toEqual([1, 2, 3, 4])
      expect((await project.pawl('verify', run)).code).toBe(0)
    }
    await engine.stop()
  })

  test('ENGINE-2 a question survives both, is answered through Restate, and the run continues; a wrong answer changes nothing', async (context) => {
    const project = await makeProject(context, { files: FILES })
    const engine = await Engine.start(project)
    await queue(project, 'asks', ['--max-iterations', '2'])
    await project.pawl('engine', 'drive', 'asks', ...engine.flags)
    await until(async () => ['escalated', 'stopped'].includes(await status(project, 'asks')))
    engine.kill()
    await engine.restart()
    const wrong = await engine.answer('asks', { choice: 'no-such-option' })
    expect(wrong.status).toBeGreaterThanOrEqual(400)
    expect(await wrong.text()).toContain('no-such-option')
    const answered = await engine.answer('asks', { choice: '1' })
    expect(answered.status).toBeLessThan(300)
    await until(async () => (await status(project, 'asks')) === 'completed')
    expect((await project.pawl('verify', 'asks')).code).toBe(0)
    await engine.stop()
  })

  test('ENGINE-3 pawl engine says what is wrong in a sentence', async (context) => {
    const project = await makeProject(context, { files: FILES })
    const [port = 0] = await freePorts(1)
    const nowhere = `http://127.0.0.1:${port}`
    const unknown = await project.pawl('engine', 'drive', 'nobody')
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no run "nobody"') as unknown })
    await queue(project, 'one', [])
    const unreachable = await project.pawl('engine', 'drive', 'one', '--ingress', nowhere)
    expect(unreachable).toMatchObject({
      code: 1,
      stderr: `pawl: Restate isn't reachable at ${nowhere}.\nStart one: pawl engine up\n`,
    })
    const misspelled = await project.pawl('engine', 'drvie', 'one')
    expect(misspelled.code).toBe(2)
    expect(misspelled.stderr).toContain('drive')
    const none = await project.pawl('engine', 'up', '--admin', nowhere)
    expect(none.code).toBe(7)
    expect(none.stderr).toContain('npm i -D @restatedev/restate-server-')
  })
})

async function queue(project: Project, run: string, more: readonly string[]): Promise<void> {
  const agent = ['--agent-command', 'sh agent.sh', '--check', 'sh check.sh', '--worktree', '--accept-unproven']
  const done = await project.pawl('task', 'Count to four', '--id', run, ...agent, '--queue', ...more)
  if (done.code !== 0) throw new Error(done.stderr)
}

async function status(project: Project, run: string): Promise<string> {
  const { stdout } = await project.pawl('show', run, '--json')
  return (JSON.parse(stdout) as { readonly status: string }).status
}

async function ended(project: Project, run: string): Promise<number> {
  return (await project.events(run)).filter(({ type }) => type === 'iteration.ended').length
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < 400; look++) {
    if (await isSo()) return
    await sleep(250)
  }
  throw new Error('It did not happen within 400 looks.')
}

/** `pawl engine up` with ports of its own. */
class Engine {
  readonly flags: readonly string[]
  readonly #project: Project
  readonly #ingress: string
  readonly #up: readonly string[]
  #process: PawlProcess | undefined
  #serverPid = 0

  private constructor(project: Project, [port = 0, ingress = 0, admin = 0]: readonly number[]) {
    this.#project = project
    this.#ingress = `http://127.0.0.1:${ingress}`
    this.flags = ['--ingress', this.#ingress]
    this.#up = ['--port', String(port), '--admin', `http://127.0.0.1:${admin}`, '--look-every', '2', '--json']
  }

  static async start(project: Project): Promise<Engine> {
    installRestate(project.root)
    const engine = new Engine(project, await freePorts(3))
    await engine.restart()
    return engine
  }

  async restart(): Promise<void> {
    const started = this.#project.start(['engine', 'up', ...this.flags, ...this.#up])
    this.#process = started
    await until(async () => started.isOver() || started.printed().includes('serverPid'))
    const { serverPid } = JSON.parse(started.printed().split('\n').at(0) ?? '') as { readonly serverPid: number }
    this.#serverPid = serverPid
  }

  /** Both at once, with -9. */
  kill(): void {
    this.#process?.signal('SIGKILL')
    process.kill(this.#serverPid, 'SIGKILL')
  }

  answer(run: string, answer: { readonly choice: string }): Promise<Response> {
    const headers = { 'content-type': 'application/json' }
    return fetch(`${this.#ingress}/pawl-run/${run}/answer`, { method: 'POST', headers, body: JSON.stringify(answer) })
  }

  async stop(): Promise<void> {
    this.#process?.signal('SIGTERM')
    const over = await this.#process?.finished
    if (over?.code !== 0) throw new Error(`It ended with ${over?.code}: ${over?.stderr}`)
  }
}
