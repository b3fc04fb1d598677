import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const INSPECTOR = join(import.meta.dirname, 'node_modules', '.bin', 'mcp-inspector')
const SERVER = join(import.meta.dirname, '..', '..', 'src', 'surfaces', 'mcp', 'main.ts')
const PATH = [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter)

const run = promisify(execFile)

interface Result {
  readonly isError?: boolean
  // oxlint-disable-next-line typescript/no-explicit-any -- each call knows what its tool answers.
  readonly structuredContent: any
}

/** The official client in its own folder. It starts a new server for every call, which ends with it. */
async function inspector(era: string): Promise<{ readonly project: string; ask(...args: readonly string[]): Promise<string> }> {
  const project = await mkdtemp(join(tmpdir(), 'pawl-inspector-'))
  onTestFinished(() => rm(project, { recursive: true, force: true }))
  const home = join(project, '.pawl-home')
  const options = { cwd: project, env: { PATH, HOME: home, MCP_CATALOG_PATH: join(home, 'mcp.json') }, timeout: 120_000 }
  return {
    project,
    ask: async (...args) => {
      const server = ['--', process.execPath, SERVER, 'mcp', '--allow-agent-commands']
      const words = [
        '--cli',
        '--cwd',
        project,
        '--connect-timeout',
        '60000',
        '--protocol-era',
        era,
        '--quiet',
        ...args,
        ...server,
      ]
      return (await run(INSPECTOR, words, options)).stdout
    },
  }
}

test.each(['legacy', 'modern'])('MCP-27 the official inspector drives a whole loop; protocol: %s', async (era) => {
  const { project, ask } = await inspector(era)
  const call = async (name: string, args: object): Promise<Result> =>
    JSON.parse(await ask('--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args))) as Result
  const { tools } = JSON.parse(await ask('--method', 'tools/list', '--strict')) as { tools: { name: string }[] }
  expect(tools.map(({ name }) => name)).toContain('iteration_start')
  const started = await call('iteration_start', {
    taskId: 'fix-login',
    maxIterations: 5,
    completionPromises: ['<promise>COMPLETE</promise>'],
    validationRules: [{ type: 'command', name: 'tests', config: { command: 'grep -q 42 answer.txt' } }],
  })
  expect(started.structuredContent).toMatchObject({ iterationId: 'fix-login', iterationNumber: 1 })
  const iterationId = 'fix-login'
  const agentOutput = 'All done.\n<promise>COMPLETE</promise>'
  await writeFile(join(project, 'answer.txt'), '41\n')
  const first = await call('iteration_validate', { iterationId, agentOutput })
  expect(first.structuredContent).toMatchObject({ validationPassed: false, completionSignal: 'CONTINUE' })
  const next = await call('iteration_next', { iterationId })
  expect(next.structuredContent).toMatchObject({ iterationNumber: 2, remainingIterations: 3 })
  await writeFile(join(project, 'answer.txt'), '42\n')
  const second = await call('iteration_validate', { iterationId, agentOutput })
  expect(second.structuredContent).toMatchObject({ validationPassed: true, completionSignal: 'COMPLETE' })
  const complete = await call('iteration_complete', { iterationId, completionPromise: '<promise>COMPLETE</promise>' })
  expect(complete.structuredContent).toMatchObject({ completed: true })
  expect((await call('run_list', {})).structuredContent.runs).toMatchObject([
    { run: 'fix-login', status: 'completed', iterations: 2 },
  ])
})

test.each(['legacy', 'modern'])(
  'MCP-72 the official inspector gets the question if a pass proves nothing; protocol: %s',
  async (era) => {
    const { project, ask } = await inspector(era)
    const call = async (name: string, args: object): Promise<Result> =>
      JSON.parse(await ask('--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args))) as Result
    await writeFile(join(project, 'pawl.yaml'), 'checks:\n  - { name: tests, command: grep -q 42 answer.txt }\n')
    await writeFile(join(project, 'answer.txt'), '42\n')
    const promises = { completionPromises: ['<promise>COMPLETE</promise>'] }
    await call('iteration_start', { taskId: 'add-median', maxIterations: 5, ...promises })
    await writeFile(join(project, 'notes.txt'), 'median\n')
    const iterationId = 'add-median'
    const { structuredContent } = await call('iteration_complete', { iterationId, completionPromise: 'COMPLETE' })
    expect(structuredContent).toMatchObject({
      completed: false,
      proof: { level: 'unproven' },
      question: { code: 'unproven', id: expect.stringMatching(/^add-median@\d+$/), options: expect.any(Array) },
    })
  },
)
