import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { circuitBreaker, maxIterations } from '../../../core/guards/index.ts'
import { commandAgent } from '../../../drivers/agents/command-agent.ts'
import { commandCheck } from '../../../drivers/checks/command-check.ts'
import { sqliteStore } from '../../../drivers/stores/sqlite-store.ts'
import { gitWorkspace } from '../../../drivers/workspaces/git-workspace.ts'
import { taskLoop } from '../../../loops/task/index.ts'
import { createLoop, type PawlLoop } from '../../library/create-loop.ts'
import type { CliContext } from '../cli-context.ts'
import type { Terminal } from '../terminal.ts'

/** A project of its own in a temporary folder: a git repository with one file, and a store. */
export interface TestProject {
  readonly root: string
  readonly storePath: string
  /** A loop whose agent writes its number into `work.txt`; the check passes from the iteration `passesAt` on. */
  loop(settings: { readonly passesAt: number; readonly goal?: string }): PawlLoop
  /** A context whose terminal keeps what is written. */
  look(options?: { readonly json?: boolean; readonly live?: boolean; readonly columns?: number }): Look
  remove(): Promise<void>
}

export interface Look extends CliContext {
  readonly out: string[]
  readonly warned: string[]
  readonly documents: unknown[]
}

/** Makes a project. */
export function testProject(): TestProject {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-cli-')))
  const storePath = join(root, '.pawl', 'pawl.db')
  writeFileSync(join(root, 'work.txt'), 'nothing yet\n')
  git(root, 'init', '--quiet')
  git(root, 'add', '.')
  git(root, '-c', 'user.name=Test', '-c', 'user.email=test@example.org', 'commit', '--quiet', '--message', 'Start')
  const stores: ReturnType<typeof sqliteStore>[] = []
  return {
    root,
    storePath,
    loop: ({ passesAt, goal = 'work.txt says enough' }) => {
      const store = sqliteStore({ path: storePath })
      stores.push(store)
      return createLoop({
        loop: taskLoop({ goal }),
        guards: [maxIterations(3), circuitBreaker()],
        agent: commandAgent({ command: AGENT, shell: true, name: 'scribe' }),
        checks: [commandCheck({ name: 'enough', command: `grep -q "line ${passesAt}" work.txt`, shell: true })],
        workspace: gitWorkspace({ path: root }),
        store,
      })
    },
    look: ({ json = false, live = false, columns = 120 } = {}) =>
      look({ root, storePath, configPath: join(root, 'pawl.yaml') }, json, live, columns),
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

function look(project: CliContext['project'], isJson: boolean, isLive: boolean, columns: number): Look {
  const out: string[] = []
  const warned: string[] = []
  const documents: unknown[] = []
  const terminal: Terminal = {
    isLive,
    columns,
    say: (line = '') => void (isJson ? warned : out).push(line),
    warn: (line) => void warned.push(line),
    json: (value) => void documents.push(JSON.parse(JSON.stringify(value))),
    live: () => undefined,
    paint: (_style, text) => text,
  }
  return { terminal, project, isJson, out, warned, documents }
}
