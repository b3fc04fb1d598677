import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeFiles } from '../support/temporary-repository.ts'
import { pawlCommand } from '../support/programs.ts'
import { makeProject, type Project } from './project.ts'

const folders = (process.env['PATH'] ?? '').split(delimiter)
const cargo = folders.find((folder) => existsSync(join(folder, 'cargo')) && existsSync(join(folder, 'rustup')))
const toolchains = process.env['RUSTUP_HOME'] ?? join(homedir(), '.rustup')

const CRATE = {
  'Cargo.toml': '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n',
  'Cargo.lock': 'version = 3\n\n[[package]]\nname = "sums"\nversion = "0.1.0"\n',
  'src/lib.rs': 'pub fn add(a: i64, b: i64) -> i64 {\n    a - b\n}\n',
  'tests/add.rs': '#[test]\nfn adds() {\n    assert_eq!(sums::add(1, 2), 3);\n}\n',
  '.gitignore': 'target/\n',
}

test('ENV-11 Rust in its own place, which only RUSTUP_HOME and CARGO_HOME name, works from end to end', async (context) => {
  context.skip(cargo === undefined || !existsSync(join(toolchains, 'toolchains')), 'There is no cargo by rustup here.')
  const project = await makeProject(context, { files: CRATE })
  const env = {
    PATH: `${dirname(process.execPath)}:${cargo}:/usr/local/bin:/usr/bin:/bin`,
    RUSTUP_HOME: toolchains,
    CARGO_HOME: join(project.home, 'cargo'),
  }
  const words = ['task', 'Make add add', '--id', 'r', '--check', 'cargo test --offline -q', '--no-ask']
  const agent = ['--agent-command', "sed -i 's/a - b/a + b/' src/lib.rs"]
  const { code, stdout } = await project.over(project.start([...words, ...agent], { env }))
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('1 test failed before and passes now') })
})

test('ENV-12 a withheld variable is asked about before any work, with exit 7 and the line for pawl.yaml, and that line helps', async (context) => {
  const check = `sh -c 'echo "\${MY_DATABASE:?is not set}" && grep -q done work.txt'`
  const yaml = (more: string) => `checks:\n  - { name: tests, command: ${JSON.stringify(check)}${more} }\n`
  const project = await makeProject(context, { files: { 'work.txt': 'no\n', 'pawl.yaml': yaml('') } })
  const env = { MY_DATABASE: 'here' }
  const start = (...words: readonly string[]) => project.over(project.start(words, { env }))
  const first = await start(
    'task',
    'work.txt says done',
    '--id',
    'r',
    '--no-ask',
    '--agent-command',
    "sh -c 'echo done > work.txt'",
  )
  expect(first.code).toBe(7)
  const said = first.stdout.replaceAll(/\s+/g, ' ')
  expect(said).toContain("MY_DATABASE is set here, but isn't passed on to the check")
  expect(said).toContain('environment: [MY_DATABASE] }')
  expect(await project.of('r', 'work.started')).toEqual([])
  await project.write('pawl.yaml', yaml(', environment: [MY_DATABASE]'))
  expect(await start('answer', 'r', '1', '--resume')).toMatchObject({ code: 0 })
})

test.each([
  ['codex', { MY_KEY: 'dummy' }, 'codex: { environment: [MY_KEY] }'],
  ['claude', { CLAUDE_CODE_USE_BEDROCK: '1', AWS_EC2_METADATA_DISABLED: 'true' }, 'set to Bedrock, but there is no AWS log-in'],
] as const)(
  'ENV-13 a variable that %s lacks by its own settings is found before an attempt',
  async (agent, variables, message) => {
    const files = { 'work.txt': 'no\n' }
    const project = await makeProject({ onTestFinished }, { files })
    await writeFiles(project.home, {
      [`bin/${agent}`]: '#!/bin/sh\nexit 1\n',
      '.codex/config.toml': 'model_provider = "mine"\n[model_providers.mine]\nenv_key = "MY_KEY"\n',
    })
    await chmod(join(project.home, 'bin', agent), 0o755)
    const env = { ...variables, PATH: `${join(project.home, 'bin')}:${dirname(process.execPath)}:/usr/bin:/bin` }
    const words = ['task', 'x', '--id', 'r', '--agent', agent, '--no-probe', '--check', 'grep -q done work.txt', '--no-ask']
    const { code, stderr } = await project.over(project.start(words, { env }))
    expect(code).toBe(2)
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(message)
    expect(JSON.parse((await project.pawl('ls', '--json')).stdout)).toEqual([])
  },
)

test('ALWAYS-8 the hook that users get holds a session to the checks, and `pawl ls` and `pawl show` know its run', async (context) => {
  const files = { 'work.txt': 'no\n', 'pawl.yaml': 'checks:\n  - { name: done, command: "grep -q done work.txt" }\n' }
  const project = await makeProject(context, { files })
  await writeFiles(project.home, { '.config/pawl/trusted-folders': `${project.root}\n` })
  expect(hook(project, { hook_event_name: 'UserPromptSubmit', prompt: 'Do it.' })).toEqual({})
  await project.write('work.txt', 'half\n')
  expect(hook(project, { hook_event_name: 'Stop' })).toMatchObject({ decision: 'block', reason: expect.stringContaining('done') })
  await project.write('work.txt', 'done\n')
  expect(hook(project, { hook_event_name: 'Stop' })).toEqual({ systemMessage: 'Pawl: all checks pass (run claude-s1).' })
  expect(hook(project, { hook_event_name: 'Stop' })).toEqual({})
  expect(JSON.parse((await project.pawl('ls', '--json')).stdout)).toMatchObject([{ run: 'claude-s1', status: 'completed' }])
  expect((await project.pawl('show', 'claude-s1')).stdout).toContain('2')
  expect(await project.isWhole('claude-s1')).toBe(true)
})

function hook({ root, home }: Project, event: object): unknown {
  const [program = '', ...words] = pawlCommand('hook', 'claude', '--always')
  const { stdout } = spawnSync(program, words, {
    cwd: root,
    input: JSON.stringify({ cwd: root, session_id: 's-1', ...event }),
    env: { HOME: home, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
    encoding: 'utf8',
    timeout: 60_000,
  })
  return JSON.parse(stdout)
}
