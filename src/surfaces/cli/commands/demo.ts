import { cp, mkdtemp, realpath, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { PawlError } from '../../../core/pawl-error.ts'
import { resolveProgram } from '../../../process/find-program.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { findProject } from '../../../settings/find-project.ts'
import { runTask } from './task.ts'

/** Three real loops, each in a copy of an example project: a success, a question, and an agent that cheats. */
export async function demo(context: CliContext): Promise<number> {
  const { terminal } = context
  // On some machines the temporary folder is a link; git and the agent would then see two names for one place.
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'pawl-demo-')))
  let hasSurprise = false
  for (const { id, example, agent, intro, expected } of DEMOS) {
    const path = join(folder, id)
    await copyExample(example, path, agent)
    terminal.say(terminal.paint('cyan', intro))
    terminal.say(terminal.paint('dim', `$ cd ${path}`))
    terminal.say(terminal.paint('dim', `$ pawl task "${GOAL}" --id ${id}`))
    const here: CliContext = { ...context, project: findProject(path) }
    const code = await withStore(here, (store) =>
      runTask(here, store, { id, ask: false }, { goal: GOAL, name: GOAL, control: {} }),
    )
    hasSurprise ||= code !== expected
    terminal.say()
  }
  const [solved, question] = DEMOS
  terminal.say('The projects are still there. Look at the first run, or answer the second:')
  const bin = await folderToAdd()
  if (bin !== undefined) terminal.say(`  $ export PATH="${bin}:$PATH"`)
  terminal.say(`  $ cd ${join(folder, solved.id)} && pawl show ${solved.id}`)
  terminal.say(`  $ cd ${join(folder, question.id)} && pawl answer ${question.id} 1 --resume`)
  terminal.say('In your own project: pawl init, then pawl task "What should be true in the end"')
  return hasSurprise ? EXIT.error : EXIT.done
}

const GOAL = 'All tests pass'

const DEMOS = [
  {
    id: 'demo-solvable',
    example: 'demo-solvable',
    agent: 'tinker',
    intro: '1. Two bugs. Tinker, a built-in agent that works offline, fixes them.',
    expected: EXIT.done,
  },
  {
    id: 'demo-question',
    example: 'demo-question',
    agent: 'tinker',
    intro: '2. Code and test disagree about a format. Only you know which is right.',
    expected: EXIT.waiting,
  },
  {
    id: 'demo-cheat',
    example: 'cheating-agent/project',
    agent: 'cheat',
    intro: '3. An agent that skips the failing test and says that it is done.',
    expected: EXIT.waiting,
  },
] as const

type DemoAgent = (typeof DEMOS)[number]['agent']

async function copyExample(name: string, target: string, agent: DemoAgent): Promise<void> {
  await cp(examplePath(name), target, { recursive: true })
  await writeFile(join(target, 'pawl.yaml'), configText(agent))
  const git = (...words: string[]) =>
    execa('git', words, { cwd: target, env: { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' } })
  await git('init', '--quiet', '--initial-branch=main')
  await git('add', '--all')
  await git('-c', 'user.name=Pawl demo', '-c', 'user.email=demo@localhost', 'commit', '--quiet', '--message', 'As it was found')
}

/** Beside the bundle's folder in the package, or four folders above this file in the source. */
function examplePath(name: string): string {
  const places = ['../examples/', '../../../../examples/'].map((place) =>
    fileURLToPath(new URL(`${place}${name}`, import.meta.url)),
  )
  const found = places.find((place) => existsSync(place))
  if (found !== undefined) return found
  throw new PawlError('demo.missing', `The example ${name} isn't in this installation of Pawl: install it again.`)
}

/** The Node that runs Pawl also runs the tests: the machine's own may be too old for them. */
function configText(agent: DemoAgent): string {
  const command = JSON.stringify([process.execPath, '--test', '--test-reporter=tap'])
  const cheat = JSON.stringify([process.execPath, examplePath('cheating-agent/cheat.mjs')])
  const agents = agent === 'cheat' ? `agents:\n  cheat: { command: ${cheat} }\n` : ''
  return `agent: ${agent}\n${agents}checks:\n  - { name: tests, command: ${command} }\nmax_iterations: 3\n`
}

/** The folder to put on the PATH, so that the commands that are shown can be copied; `undefined` where `pawl` is found already. */
async function folderToAdd(): Promise<string | undefined> {
  const found = await resolveProgram('pawl', process.cwd(), process.env['PATH'])
  const own = fileURLToPath(new URL('../bin/', import.meta.url))
  return found.status === 'found' || !existsSync(join(own, 'pawl')) ? undefined : own.replace(/\/$/, '')
}
