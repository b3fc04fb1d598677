import { readFileSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createClient, type PawlClient } from '../../src/surfaces/http/client.ts'
import { makeProject, type Project, until } from './project.ts'
import type { PawlProcess, PawlProcessOptions } from './pawl-process.ts'

interface Server {
  readonly process: PawlProcess
  readonly url: string
  readonly token: string
  readonly client: PawlClient
}

/** Starts `pawl serve` and waits until it listens. */
async function serve(
  project: Project,
  words: readonly string[] = [],
  options: Partial<PawlProcessOptions> = {},
): Promise<Server> {
  const started = project.start(['serve', '--json', '--port', '0', ...words], options)
  const line = await until('the server', () => {
    if (started.isOver()) throw new Error(`it ended: ${started.printed()}`)
    return started
      .printed()
      .split('\n')
      .find((each) => each.startsWith('{"url"'))
  })
  const { url } = JSON.parse(line) as { readonly url: string }
  const { token } = JSON.parse(readFileSync(join(project.home, '.config', 'pawl', 'serve.json'), 'utf8')) as {
    readonly token: string
  }
  return { process: started, url, token, client: createClient({ url, token }) }
}

describe('a served project', () => {
  test('SERVE-8 a server that is killed in the middle of a run and started again shows every event once, as the journal has them', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script(
      'agent.sh',
      'cat >/dev/null; wait_for "go-$PAWL_ITERATION"; echo "line $PAWL_ITERATION" >>a.txt',
    )
    const run = project.start([
      'task',
      'three lines',
      '--id',
      'lines',
      '--agent-command',
      agent,
      '--check',
      'grep -q "line 3" a.txt',
      '-n',
      '3',
      '--no-ask',
    ])
    await project.happened('lines', 'work.started')
    const seen: number[] = []
    const watch = async ({ client }: Server): Promise<void> => {
      try {
        for await (const each of client.stream('lines', seen.at(-1) ?? 0)) {
          if (each.kind !== 'journal') continue
          seen.push(each.seq)
          if (each.event.type === 'run.completed') return
        }
      } catch {
        // The server was killed.
      }
    }
    const first = await serve(project)
    const watching = watch(first)
    await until('the first events', () => (seen.length > 3 ? true : undefined))
    await project.note('go-1', 'go')
    await project.happened('lines', 'work.started', 2)
    first.process.signal('SIGKILL')
    await watching
    await project.note('go-2', 'go')
    await project.happened('lines', 'work.started', 3)
    const second = await serve(project)
    const rest = watch(second)
    await project.note('go-3', 'go')
    expect(await project.over(run)).toMatchObject({ code: 0 })
    await rest
    const journal = await project.events('lines')
    expect(seen).toEqual(journal.map(({ seq }) => seq))
    expect((await second.client.events('lines')).events).toEqual(JSON.parse(JSON.stringify(journal)))
    const logged = await project.pawl('log', 'lines', '--json')
    expect(
      logged.stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { seq: number }).seq),
    ).toEqual(seen)
    second.process.signal('SIGINT')
    expect(await project.over(second.process)).toMatchObject({ code: 0 })
  })

  test.runIf(process.platform === 'linux')(
    'SERVE-25 an agent that knows the token cannot answer, abort or resume its own run, with or without PAWL_RUN; another run it can',
    async (context) => {
      const project = await makeProject(context)
      const idle = await project.script('idle.sh', 'cat >/dev/null')
      expect(
        await project.pawl('task', 'x', '--id', 'other', '--agent-command', idle, '--check', 'false', '-n', '1'),
      ).toMatchObject({ code: 3 })
      const { url, token } = await serve(project)
      await writeFile(
        join(project.notes, 'ask.mjs'),
        `const [run, what] = process.argv.slice(2)
        const response = await fetch('${url}/api/v1/runs/' + run + '/' + what, { method: 'POST', body: '{}', headers: { authorization: 'Bearer ${token}', 'content-type': 'application/json' } })
        console.log(response.status, (await response.json()).code)`,
      )
      // Sends everything at once and is gone before anybody can look.
      await writeFile(
        join(project.notes, 'leave.mjs'),
        `import { connect } from 'node:net'
        const socket = connect(${new URL(url).port}, '127.0.0.1', () => {
          socket.write('POST /api/v1/runs/mine/abort HTTP/1.1\\r\\nhost: localhost\\r\\nauthorization: Bearer ${token}\\r\\ncontent-type: application/json\\r\\ncontent-length: 2\\r\\n\\r\\n{}', () => process.kill(process.pid, 'SIGKILL'))
        })`,
      )
      const ask = `"${process.execPath}" "$NOTES/ask.mjs"`
      const agent = await project.script(
        'agent.sh',
        `cat >/dev/null; ${ask} mine abort >"$NOTES/named"; unset PAWL_RUN
        ${ask} mine abort >"$NOTES/unnamed"; setsid --wait ${ask} mine resume >"$NOTES/apart"; env -i ${ask} mine abort >"$NOTES/cleared"; for i in 1 2 3 4 5; do "${process.execPath}" "$NOTES/leave.mjs"; done; sleep 1; ${ask} other abort >"$NOTES/other"; echo good >a.txt`,
      )
      expect(
        await project.pawl('task', 'x', '--id', 'mine', '--agent-command', agent, '--check', 'grep -q good a.txt', '-n', '1'),
      ).toMatchObject({ code: 0 })
      for (const note of ['named', 'unnamed', 'apart', 'cleared']) expect(await project.noted(note)).toBe('403 run.own-work\n')
      expect(await project.noted('other')).toBe('200 undefined\n')
      expect((await project.events('mine')).filter(({ by }) => by.role === 'person')).toEqual([])
    },
  )

  test('SERVE-26 with --drive an answer resumes the run, a task can be started, and files can be brought back', async (context) => {
    const project = await makeProject(context)
    const agent = await project.script('agent.sh', 'cat >/dev/null; echo "line $PAWL_ITERATION" >>a.txt')
    const task = [
      'task',
      'two lines',
      '--id',
      'lines',
      '--agent-command',
      agent,
      '--check',
      'grep -q "line 2" a.txt',
      '-n',
      '1',
      '--no-ask',
    ]
    expect(await project.pawl(...task)).toMatchObject({ code: 3 })
    const { client } = await serve(project, ['--drive'])
    expect(await client.session()).toMatchObject({ canDrive: true })
    const { question } = await client.run('lines')
    expect(
      await client.answer('lines', { choice: '1', resume: true, ...(question ? { question: question.seq } : {}) }),
    ).toMatchObject({ isResumed: true })
    await project.happened('lines', 'run.completed')
    await until('the end of its driver', async () => ((await client.run('lines')).isHeld ? undefined : true))
    expect(await client.restore('lines', { tree: '0' })).toMatchObject({ status: 'restored' })
    expect(await project.read('a.txt')).toBe('a\n')
    await project.write(
      'pawl.yaml',
      `agents: { mine: { command: "${agent}" } }\nagent: mine\nchecks: [{ name: lines, command: "grep -q line a.txt" }]\n`,
    )
    const started = await client.start({ goal: 'one more line', id: 'more' })
    expect(started.run).toBe('more')
    await project.happened('more', 'run.completed')
    await expect(client.start({ goal: 'again', agent: 'nobody' })).rejects.toMatchObject({ problem: { status: 400 } })
  })

  test('SERVE-31 --share tailscale runs the program, and --pair asks the server that runs for a code', async (context) => {
    const project = await makeProject(context)
    const bin = join(project.notes, 'bin')
    await mkdir(bin)
    const program = join(bin, 'tailscale')
    await writeFile(
      program,
      `#!/bin/sh\necho "$@" >>'${project.notes}/tailscale'\n[ "$1" != status ] || echo '{"Self":{"DNSName":"box.tail1234.ts.net."}}'\n`,
    )
    await chmod(program, 0o755)
    const PATH = `${bin}:${process.env['PATH'] ?? ''}`
    const { process: server, url } = await serve(project, ['--share', 'tailscale'], { env: { PATH } })
    await until('the code', () => (server.printed().includes('https://box.tail1234.ts.net/pair?code=') ? true : undefined))
    expect(await project.noted('tailscale')).toContain(`serve --bg --https=443 http://127.0.0.1:${new URL(url).port}`)
    const through = await fetch(`${url}/api/v1/session`, { headers: { 'x-forwarded-proto': 'https' } })
    expect(through.status).toBe(401)
    const paired = await project.pawl('serve', '--pair', '--json')
    expect(paired).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/"link":"https:\/\/box\.tail1234\.ts\.net\/pair\?code=[A-Z2-9]{8}"/),
    })
    expect(await project.pawl('serve')).toMatchObject({ code: 6, stderr: expect.stringContaining(url) })
    server.signal('SIGTERM')
    expect(await project.over(server)).toMatchObject({ code: 0 })
    expect(await project.noted('tailscale')).toContain('serve --https=443 off')
    expect(await project.pawl('serve', '--share', 'tailscale')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not on the PATH'),
    })
  })
})
