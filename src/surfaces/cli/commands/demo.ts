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

/** Two real loops with the offline agent, each in a copy of an example project. */
export async function demo(context: CliContext): Promise<number> {
  const { terminal } = context
  // On some machines the temporary folder is a link; git and the agent would then see two names for one place.
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'pawl-demo-')))
  let hasSurprise = false
  for (const { project, intro, expected } of DEMOS) {
    const path = join(folder, project)
    await copyExample(project, path)
    terminal.say(terminal.paint('cyan', intro))
    terminal.say(terminal.paint('dim', `$ cd ${path}`))
    terminal.say(terminal.paint('dim', `$ pawl task "${GOAL}" --id ${project}`))
    const here: CliContext = { ...context, project: findProject(path) }
    const code = await withStore(here, (store) =>
      runTask(here, store, { id: project, ask: false }, { goal: GOAL, name: GOAL, control: {} }),
    )
    hasSurprise ||= code !== expected
    terminal.say()
  }
  terminal.say(
    'Both projects and their journals are still there. Look at what happened, or answer the question and have it go on:',
  )
  const bin = await folderToAdd()
  if (bin !== undefined) terminal.say(`  $ export PATH="${bin}:$PATH"`)
  terminal.say(`  $ cd ${join(folder, DEMOS[0].project)} && pawl show ${DEMOS[0].project}`)
  terminal.say(`  $ cd ${join(folder, DEMOS[1].project)} && pawl answer ${DEMOS[1].project} 1 --resume`)
  terminal.say('In a project of your own: pawl init, then pawl task "What should be true in the end"')
  return hasSurprise ? EXIT.error : EXIT.done
}

const GOAL = 'All tests pass'

const DEMOS = [
  {
    project: 'demo-solvable',
    intro:
      '1. A small project with two bugs. Tinker, an offline agent that searches for repairs, works on it; Pawl checks every iteration.',
    expected: EXIT.done,
  },
  {
    project: 'demo-question',
    intro:
      '2. A project whose code and test disagree about a format. No search can know which is right, so the loop must end in a question.',
    expected: EXIT.waiting,
  },
] as const

async function copyExample(name: string, target: string): Promise<void> {
  // Beside the bundle's folder in the package, or four folders above this file in the source.
  const places = ['../examples/', '../../../../examples/'].map((place) =>
    fileURLToPath(new URL(`${place}${name}`, import.meta.url)),
  )
  const source = places.find((place) => existsSync(place))
  if (source === undefined)
    throw new PawlError('demo.missing', `The example project ${name} is not in this installation of Pawl: install it anew.`)
  await cp(source, target, { recursive: true })
  await writeFile(join(target, 'pawl.yaml'), configText())
  const git = (...words: string[]) =>
    execa('git', words, { cwd: target, env: { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' } })
  await git('init', '--quiet', '--initial-branch=main')
  await git('add', '--all')
  await git('-c', 'user.name=Pawl demo', '-c', 'user.email=demo@localhost', 'commit', '--quiet', '--message', 'As it was found')
}

/** The Node that runs Pawl also runs the tests: the machine's own may be too old for them. */
function configText(): string {
  const command = JSON.stringify([process.execPath, '--test', '--test-reporter=tap'])
  return `agent: tinker\nchecks:\n  - { name: tests, command: ${command} }\nmax_iterations: 3\n`
}

/** The folder to put on the PATH, so that the commands that are shown can be copied; `undefined` where `pawl` is found already. */
async function folderToAdd(): Promise<string | undefined> {
  const found = await resolveProgram('pawl', process.cwd(), process.env['PATH'])
  const own = fileURLToPath(new URL('../bin/', import.meta.url))
  return found.status === 'found' || !existsSync(join(own, 'pawl')) ? undefined : own.replace(/\/$/, '')
}
