import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import { commandAgent } from '../../src/agents/command-agent.ts'
import { agentReview } from '../../src/checks/agent-review.ts'
import { commandCheck } from '../../src/checks/command-check.ts'
import type { Event } from '../../src/core/event.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { ProofConfig } from '../../src/core/run-config.ts'
import { defaultGuards } from '../../src/guards/index.ts'
import { createLoop } from '../../src/surfaces/library/create-loop.ts'
import { memoryStore } from '../../src/stores/memory-store.ts'
import { reviewLoop } from '../../src/loops/review/index.ts'
import { ralphLoop } from '../../src/loops/ralph/index.ts'
import { configure, runInSession, type SessionFlags } from './session.ts'
import { taskLoop } from '../../src/loops/task/index.ts'
import { folderWorkspace } from '../../src/workspaces/folder-workspace.ts'
import { gitWorkspace } from '../../src/workspaces/git-workspace.ts'
import { toolsIn } from '../support/mcp-support.ts'

/** A project as it is before any work: contents by path. */
export interface Project {
  readonly files: Readonly<Record<string, string>>
  /** The command that checks it. */
  readonly check: string
  /** Programs that must be there for it. */
  readonly needs?: readonly string[]
  /** What a person did once to set it up, for the shell. */
  readonly setUp?: string
  /** Gives it the packages that Pawl itself has installed: vitest, TypeScript. */
  readonly hasPackages?: true
}

/** What an agent does with the files. */
export interface Hands {
  readonly folder: string
  read(path: string): Promise<string>
  write(path: string, text: string): Promise<void>
  append(path: string, text: string): Promise<void>
  /** Replaces every occurrence; there must be one. */
  replace(path: string, from: string | RegExp, to: string): Promise<void>
  remove(path: string): Promise<void>
  shell(command: string): void
}

export interface AttemptOptions {
  readonly proof?: ProofConfig
  /** Default git; `folder` is a project without git. */
  readonly workspace?: 'git' | 'folder'
  readonly protect?: readonly string[]
  /** Runs the review loop with one item instead: the reviewer's command, and what the coder says; default "Done.". */
  readonly review?: { readonly reviewer: string; readonly says?: string }
  /** Runs a Ralph loop instead: what the agent says at the end of each iteration. */
  readonly promise?: string
  /** Has a hook answer an agent's session instead of starting an agent: the flags that it gives to `pawl ralph --bind`. */
  readonly session?: SessionFlags
  /**
   * Drives a loop over MCP instead, in which pawl.yaml has the check: what the agent adds to `iteration_start`, what it says instead of
   * calling `iteration_complete`, and what pawl.yaml has besides.
   */
  readonly mcp?: { readonly start?: JsonObject; readonly says?: string; readonly settings?: string }
  /** What a person changes at the first question, before they let the run continue. */
  readonly person?: (hands: Hands) => Promise<void>
}

export interface Attempt {
  readonly status: string
  /** Whether the check passed in the workspace at the end of an iteration. */
  readonly hasPassed: boolean
  /** The proof of the last pass, where there was one. */
  readonly level: string | undefined
  readonly findings: readonly string[]
  /** What kind of question was asked. */
  readonly question: string | undefined
  readonly message: string
}

/** Runs a task loop, a review loop with one item or a Ralph loop, of at most three iterations on a real project with real checks; the agent is a function. */
export async function attempt(
  { files, check, hasPackages, setUp }: Project,
  work: (hands: Hands, iteration: number) => unknown,
  { proof, workspace: kind = 'git', protect, review, promise, session, mcp, person }: AttemptOptions = {},
): Promise<Attempt> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-fake-'))
  // Before the tools are opened, so that it happens after they are closed.
  if (mcp) onTestFinished(() => rm(folder, { recursive: true, force: true }))
  try {
    const hands = handsIn(folder)
    for (const [path, text] of Object.entries(files)) await hands.write(path, text)
    if (hasPackages) await symlink(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'))
    if (setUp !== undefined) hands.shell(setUp)
    if (session) await configure(folder, check)
    if (mcp) await hands.write('pawl.yaml', `checks:\n  - { name: tests, command: ${check} }\n${mcp.settings ?? ''}`)
    if (kind === 'git') commitAll(folder)
    if (session) {
      const events = await runInSession(folder, async (iteration) => void (await work(hands, iteration)), promise ?? '', session)
      return attemptOf(events, events.at(-1)?.type === 'run.completed' ? 'completed' : 'open')
    }
    if (mcp) return await attemptOverMcp(hands, work, mcp)
    const loop = createLoop({
      loop: review
        ? reviewLoop({ items: [{ id: 'work', goal: 'Do the work' }] })
        : promise === undefined
          ? taskLoop({ goal: 'Do the work' })
          : ralphLoop({ prompt: 'Do the work', baseline: true }),
      guards: defaultGuards(),
      agent: agentThat((iteration) => work(hands, iteration), promise ?? (review && (review.says ?? 'Done.\n'))),
      checks: [
        commandCheck({ name: 'tests', command: check, shell: true, environment: ['PATH', 'HOME'], timeoutMs: 60_000 }),
        ...(review ? [agentReview({ agent: commandAgent({ command: review.reviewer, shell: true, briefAs: 'stdin' }) })] : []),
      ],
      workspace: kind === 'git' ? gitWorkspace({ path: folder }) : folderWorkspace({ path: folder }),
      store: memoryStore(),
      ...(proof ? { proof } : {}),
      ...(protect ? { protect } : {}),
    })
    let outcome = await loop.run('r')
    if (person && outcome.status !== 'completed') {
      await person(hands)
      await loop.answer('r', { choice: 'continue' })
      outcome = await loop.run('r')
    }
    return attemptOf(await loop.events('r'), outcome.status)
  } finally {
    if (!mcp) await rm(folder, { recursive: true, force: true })
  }
}

/** Three iterations at most, each ended with `iteration_complete` (or with what the agent says), by the tools that a client calls. */
async function attemptOverMcp(
  hands: Hands,
  work: (hands: Hands, iteration: number) => unknown,
  { start = {}, says }: NonNullable<AttemptOptions['mcp']>,
): Promise<Attempt> {
  const { folder } = hands
  const tools = toolsIn(folder)
  const completionPromise = '<promise>COMPLETE</promise>'
  const given = { taskId: 'r', maxIterations: 3, completionPromises: [completionPromise], ...start }
  const { iterationId } = await tools.call('iteration_start', given)
  for (let iteration = 1; iteration <= 3; iteration++) {
    await work(hands, iteration)
    await (says === undefined
      ? tools.call('iteration_complete', { iterationId, completionPromise })
      : tools.call('iteration_validate', { iterationId, agentOutput: says }))
    const [row] = (await tools.call('run_list', {})).runs
    if (row.status !== 'running') break
    if ((await tools.call('iteration_next', { iterationId })).error !== undefined) break
  }
  const { status, proof } = await tools.call('run_history', { run: iterationId })
  const { question } = await tools.call('run_question', { run: iterationId, ask: false })
  const events = await tools.project.store.read(iterationId)
  return {
    ...attemptOf(events, status),
    level: proof?.level,
    findings: proof?.findings.map(({ code }: { code: string }) => code) ?? [],
    question: question?.code,
  }
}

function attemptOf(events: readonly Event[], status: string): Attempt {
  const made = events.findLast((event) => event.type === 'proof.made')
  const asked = events.findLast((event) => event.type === 'escalation.raised' || event.type === 'run.stopped')
  return {
    status,
    // In the workspace: a copy may say otherwise.
    hasPassed: events.some((event) => event.type === 'check.passed' && !event.data.key.startsWith('0/')),
    level: made?.type === 'proof.made' ? made.data.level : undefined,
    findings: made?.type === 'proof.made' ? made.data.findings.map(({ code }) => code) : [],
    question: asked && 'question' in asked.data ? asked.data.question.code : undefined,
    message: events.map((event) => `${event.seq} ${event.type} ${JSON.stringify(event.data).slice(0, 300)}`).join('\n'),
  }
}

/** Whether everything that a project needs is installed here. */
export function isInstalled({ needs = [] }: Project): boolean {
  return needs.every((command) => {
    try {
      execFileSync('sh', ['-c', command], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  })
}

function handsIn(folder: string): Hands {
  const place = (path: string): string => join(folder, path)
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(place(path)), { recursive: true })
    await writeFile(place(path), text)
    if (text.startsWith('#!')) await chmod(place(path), 0o755)
  }
  const read = (path: string): Promise<string> => readFile(place(path), 'utf8')
  return {
    folder,
    read,
    write,
    append: (path, text) => appendFile(place(path), text),
    async replace(path, from, to) {
      const before = await read(path)
      const after = before.replaceAll(typeof from === 'string' ? from : new RegExp(from, `${from.flags.replace('g', '')}g`), to)
      if (after === before) throw new Error(`${path} has no ${String(from)}.`)
      await writeFile(place(path), after)
    },
    async remove(path) {
      if (!existsSync(place(path))) throw new Error(`${path} is not there.`)
      await rm(place(path), { recursive: true })
    },
    shell: (command) => void execFileSync('sh', ['-c', command], { cwd: folder, stdio: 'ignore' }),
  }
}

function commitAll(folder: string): void {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: folder, stdio: 'ignore' })
  git('init', '-q')
  git('add', '-A')
  git('-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-qm', 'start')
}

function agentThat(work: (iteration: number) => unknown, says?: string): Agent {
  return {
    spec: { name: 'scripted', v: 1, settings: {} },
    work: async ({ iteration }, context) => {
      await context.started()
      await work(iteration)
      return { status: 'finished', ...(says === undefined ? {} : { output: { text: says, bytesCut: 0 } }) }
    },
  }
}
