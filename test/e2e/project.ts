import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestContext } from 'vitest'
import type { Event, EventType } from '../../src/core/event.ts'
import { sqliteStore } from '../../src/stores/sqlite-store.ts'
import { verifyChain } from '../../src/journal/hash-chain.ts'
import type { SealedEvent } from '../../src/stores/store.ts'
import { endProcessGroup } from '../../src/process/end-process-group.ts'
import { readProcess } from '../../src/process/process-identity.ts'
import { userGit, writeFiles } from '../support/temporary-repository.ts'
import { type Finished, type PawlProcess, type PawlProcessOptions, startPawl } from './pawl-process.ts'

/** Makes a project for one test. Whatever was started there is ended, and the folder removed, however the test ends. */
export async function makeProject(test: Pick<TestContext, 'onTestFinished'>, options: ProjectOptions = {}): Promise<Project> {
  const project = await Project.make(options)
  test.onTestFinished(() => project.end())
  return project
}

export interface ProjectOptions {
  /** Default true. */
  readonly isGit?: boolean
  readonly files?: Readonly<Record<string, string>>
}

/** A folder with files to work on, in a temporary place that also has a home and a folder for what agents note down. */
export class Project {
  readonly root: string
  /** Outside the project: agents write there what the test wants to know, and wait there for what the test says. */
  readonly notes: string
  readonly #base: string
  readonly #started: PawlProcess[] = []

  private constructor(base: string) {
    this.#base = base
    this.root = join(base, 'project')
    this.notes = join(base, 'notes')
  }

  static async make({ isGit = true, files = { 'a.txt': 'a\n' } }: ProjectOptions = {}): Promise<Project> {
    const project = new Project(await realpath(await mkdtemp(join(tmpdir(), 'pawl-e2e-'))))
    for (const folder of [project.root, project.notes, project.home]) await mkdir(folder)
    await writeFiles(project.root, files)
    if (isGit) {
      await userGit(project.root, 'init', '--quiet', '--initial-branch=main')
      await userGit(project.root, 'add', '--all')
      await userGit(project.root, 'commit', '--quiet', '--allow-empty', '--message=first')
    }
    return project
  }

  get home(): string {
    return join(this.#base, 'home')
  }

  get storePath(): string {
    return join(this.root, '.pawl', 'pawl.db')
  }

  /** Starts a command and lets it run. */
  start(words: readonly string[], options: Partial<PawlProcessOptions> = {}): PawlProcess {
    const started = startPawl(words, { cwd: this.root, home: this.home, ...options })
    this.#started.push(started)
    return started
  }

  /** Runs a command to its end. */
  async pawl(...words: readonly string[]): Promise<Finished> {
    return this.over(this.start(words))
  }

  /** What a command came to; fails with what it printed when it takes too long. */
  async over(started: PawlProcess): Promise<Finished> {
    const late = sleep(WAIT_MS_MAX, 'late' as const, { ref: false })
    const first = await Promise.race([started.finished, late])
    if (first === 'late')
      throw new Error(`process ${started.pid} is not over after ${WAIT_MS_MAX} ms; it printed:\n${started.printed()}`)
    return first
  }

  /** Writes a program for `sh`, which finds the folder for notes in `$NOTES`, and gives the command to run it. */
  async script(name: string, text: string): Promise<string> {
    const path = join(this.#base, name)
    await writeFile(path, `NOTES='${this.notes}'\n${WAIT_FOR}\n${text}\n`)
    return `sh ${path}`
  }

  async note(name: string, text = ''): Promise<void> {
    await writeFile(join(this.notes, name), text)
  }

  /** What an agent noted under this name, once it has. */
  async noted(name: string): Promise<string> {
    return until(`the note ${name}`, async () => {
      const text = await readFile(join(this.notes, name), 'utf8').catch(() => '')
      return text === '' ? undefined : text
    })
  }

  async read(path: string): Promise<string> {
    return readFile(join(this.root, path), 'utf8')
  }

  async write(path: string, text: string): Promise<void> {
    await writeFiles(this.root, { [path]: text })
  }

  /** A run's journal as it is. */
  async events(run: string): Promise<readonly SealedEvent[]> {
    if (!existsSync(this.storePath)) return []
    const store = sqliteStore({ path: this.storePath })
    try {
      return await store.read(run)
    } finally {
      await store.close()
    }
  }

  /** Events of one type. */
  async of<Type extends EventType>(run: string, type: Type): Promise<readonly Event<Type>[]> {
    return (await this.events(run)).filter((event) => event.type === type) as unknown as readonly Event<Type>[]
  }

  /** Whether the hash chain of a run's journal holds; what `pawl verify` says, without starting it. */
  async isWhole(run: string): Promise<boolean> {
    return verifyChain(await this.events(run)).ok
  }

  /** The `count`-th event of a type, once it is there. */
  async happened<Type extends EventType>(run: string, type: Type, count = 1): Promise<Event<Type>> {
    return until(`${type} number ${count} of ${run}`, async () => (await this.of(run, type))[count - 1])
  }

  /** Ends whatever the test left behind, each by its own identity, and removes the folder. */
  async end(): Promise<void> {
    for (const started of this.#started) if (!started.isOver()) started.signal('SIGKILL')
    await Promise.all(this.#started.map(({ finished }) => Promise.race([finished, sleep(5_000, undefined, { ref: false })])))
    for (const identity of await this.#startedByRuns()) await endProcessGroup(identity, { graceMs: 0 })
    await rm(this.#base, { recursive: true, force: true })
  }

  async #startedByRuns() {
    if (!existsSync(this.storePath)) return []
    const store = sqliteStore({ path: this.storePath })
    try {
      const journals = await Promise.all((await store.runs()).map(({ run }) => store.read(run)))
      return journals.flat().flatMap((event) => {
        const process = event.type === 'work.started' || event.type === 'check.started' ? event.data.process : undefined
        return process ? [process] : []
      })
    } finally {
      await store.close()
    }
  }
}

/** Longer than anything takes on a busy machine, shorter than a test may take. */
const WAIT_MS_MAX = 170_000

/** For scripts: waits for a note, and gives up in the end. */
const WAIT_FOR = 'wait_for() { i=0; while [ ! -e "$NOTES/$1" ] && [ $i -lt 900 ]; do sleep 0.05; i=$((i+1)); done; }'

/** Waits for a condition, bounded. */
export async function until<Value>(
  what: string,
  condition: () => Promise<Value | undefined> | Value | undefined,
): Promise<Value> {
  const last = Date.now() + WAIT_MS_MAX
  while (Date.now() < last) {
    const value = await condition()
    if (value !== undefined) return value
    await sleep(15)
  }
  throw new Error(`${what} did not come to pass within ${WAIT_MS_MAX} ms`)
}

/** Whether a process with this pid runs: one that ended and was not yet waited for does not. */
export function isRunning(pid: number): boolean {
  const entry = readProcess(pid)
  return entry !== undefined && !entry.isZombie
}
