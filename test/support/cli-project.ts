import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { circuitBreaker, maxIterations } from '../../src/guards/index.ts'
import { commandAgent } from '../../src/agents/command-agent.ts'
import { commandCheck } from '../../src/checks/command-check.ts'
import { sqliteStore } from '../../src/stores/sqlite-store.ts'
import { folderWorkspace } from '../../src/workspaces/folder-workspace.ts'
import { gitWorkspace } from '../../src/workspaces/git-workspace.ts'
import { currentProcessIdentity } from '../../src/process/process-identity.ts'
import { printable } from '../../src/present/layout.ts'
import { taskLoop } from '../../src/loops/task/index.ts'
import { createLoop, type PawlLoop } from '../../src/surfaces/library/create-loop.ts'
import type { CliContext } from '../../src/surfaces/cli/cli-context.ts'
import type { Terminal } from '../../src/surfaces/cli/terminal.ts'
import { BRIEF, playedRun, type Script } from './view-fixture.ts'

/** A separate project in a temporary folder: one file, in a git repository if the test needs one, and a store. */
export interface TestProject {
  readonly root: string
  readonly storePath: string
  /**
   * A loop whose agent writes its number into `work.txt`; the check passes from the iteration `passesAt` on. `reports`: what the agent
   * reports in each iteration; default: what it wrote, and a cost. `worktree`: in its own worktree; default false.
   */
  loop(settings: {
    readonly passesAt: number
    readonly goal?: string
    readonly reports?: readonly object[]
    readonly worktree?: boolean
  }): PawlLoop
  /** Puts a scripted run into the store: as quick as writing its events. */
  seed(script: Script): Promise<void>
  /** A context whose terminal keeps what is written. */
  look(options?: { readonly json?: boolean; readonly live?: boolean; readonly columns?: number }): Look
  /** Closes the stores of its loops. */
  close(): Promise<void>
  remove(): Promise<void>
}

export interface Look extends CliContext {
  readonly out: string[]
  readonly warned: string[]
  readonly documents: unknown[]
}

/** Makes a project. Without git a run starts a tenth of the processes. `isGit`: default true. */
export function testProject({ isGit = true }: { readonly isGit?: boolean } = {}): TestProject {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-cli-')))
  const storePath = join(root, '.pawl', 'pawl.db')
  writeFileSync(join(root, 'work.txt'), 'nothing yet\n')
  if (isGit) {
    git(root, 'init', '--quiet')
    git(root, 'add', '.')
    git(root, '-c', 'user.name=Test', '-c', 'user.email=test@example.org', 'commit', '--quiet', '--message', 'Start')
  }
  const stores: ReturnType<typeof sqliteStore>[] = []
  return {
    root,
    storePath,
    loop: ({ passesAt, goal = 'work.txt says enough', reports, worktree = false }) => {
      const store = sqliteStore({ path: storePath })
      stores.push(store)
      return createLoop({
        loop: taskLoop({ goal }),
        guards: [maxIterations(3), circuitBreaker()],
        agent: commandAgent({ command: reports ? reporting(reports) : AGENT, shell: true, name: 'scribe' }),
        checks: [commandCheck({ name: 'enough', command: `grep -q "line ${passesAt}" work.txt`, shell: true })],
        workspace: isGit ? gitWorkspace({ path: root, worktree }) : folderWorkspace({ path: root }),
        store,
      })
    },
    seed: async (script) => {
      const store = sqliteStore({ path: storePath })
      const { run = 'fix-login' } = script
      const claimed = await store.claim(run, currentProcessIdentity())
      if (claimed.status !== 'claimed') throw new Error(`${run} is held`)
      await store.putText({ text: BRIEF, bytesCut: 0 })
      await store.append(run, playedRun(script), { claim: claimed.claim, expectedSeq: 0 })
      await store.release(claimed.claim)
      await store.close()
    },
    look: ({ json = false, live = false, columns = 120 } = {}) =>
      look({ root, storePath, configPath: join(root, 'pawl.yaml') }, json, live, columns),
    close: async () => {
      for (const store of stores.splice(0)) await store.close()
    },
    remove: async () => {
      for (const store of stores) await store.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** Runs git in a folder, deaf to the machine's own settings. */
export function git(cwd: string, ...args: readonly string[]): string {
  const env = { PATH: process.env['PATH'] ?? '', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  return execFileSync('git', args, { cwd, env, encoding: 'utf8' })
}

const AGENT = `cat > /dev/null
echo "line $PAWL_ITERATION" >> work.txt
printf '{"summary": "Wrote line %s.", "costUsd": 0.02}' "$PAWL_ITERATION" > "$PAWL_REPORT_FILE"`

function reporting(reports: readonly object[]): string {
  const cases = reports.map((report, index) => `${index + 1}) echo '${JSON.stringify(report)}' > "$PAWL_REPORT_FILE";;`)
  return `cat > /dev/null; echo "line $PAWL_ITERATION" >> work.txt; case "$PAWL_ITERATION" in ${cases.join(' ')} esac`
}

function look(project: CliContext['project'], isJson: boolean, isLive: boolean, columns: number): Look {
  const out: string[] = []
  const warned: string[] = []
  const documents: unknown[] = []
  const terminal: Terminal = {
    isLive,
    columns,
    say: (line = '') => void (isJson ? warned : out).push(printable(line)),
    exact: (line) => void out.push(line),
    warn: (line) => void warned.push(printable(line)),
    json: (value) => void documents.push(JSON.parse(JSON.stringify(value))),
    live: () => undefined,
    control: () => undefined,
    paint: (_style, text) => text,
  }
  return { terminal, project, isJson, out, warned, documents }
}
