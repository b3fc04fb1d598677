import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { codex } from '../../src/agents/codex.ts'
import { alternated } from '../alternated.ts'
import { atMost } from '../bound.ts'
import { type DrivenAgent, drivenAgent } from '../driven-agent.ts'
import { drivenIterations, exampleProject } from '../driven-iterations.ts'
import type { Figure } from '../figure.ts'
import { median } from '../median.ts'
import { withTemporaryFolder } from '../temporary-folder.ts'
import { milliseconds, spread } from '../wording.ts'

const ROUNDS = 15

const OVERHEAD_MS_MAX = 100

/** What an iteration costs above calling the agent's command line by hand in the same project, against a tenth of a second. */
export const agentOverhead: Figure = {
  name: 'agent-overhead',
  bound: atMost(1),
  measure: (say) =>
    withTemporaryFolder(async (folder) => {
      await using agent = await drivenAgent(folder)
      say(`an iteration with ${agent.title} and the same by hand in turn, ${ROUNDS} times`)
      const { ones, others } = await alternated(
        ROUNDS,
        async (round) => {
          const [durationMs = 0] = await drivenIterations(agent, made(folder, `run-${round}`), 1)
          return durationMs
        },
        (round) => byHand(agent, exampleProject(made(folder, `hand-${round}`), agent.env)),
      )
      const overheads = ones.map((oneMs, index) => oneMs - (others[index] as number))
      const details = [
        `An iteration with ${agent.title} takes ${milliseconds(median(ones))}, the same command by hand ${milliseconds(median(others))} (medians).`,
        `The overhead is ${milliseconds(median(overheads))} (median): a durable journal, the gate, the stream, and a look at a git repository. What checks take is left out.`,
        `The value is that against ${milliseconds(OVERHEAD_MS_MAX)}; single rounds went from ${spread(overheads.map((each) => each / OVERHEAD_MS_MAX))}.`,
      ]
      return { status: 'measured', value: median(overheads) / OVERHEAD_MS_MAX, details }
    }),
}

function made(folder: string, name: string): string {
  const path = join(folder, name)
  mkdirSync(path)
  return path
}

/** As a person would: the same command, the same brief, its output read and thrown away. */
async function byHand({ program, env }: DrivenAgent, cwd: string): Promise<number> {
  const startedAt = performance.now()
  const child = spawn(program, codex.arguments({ permissionMode: 'full' }), { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdout.resume()
  child.stderr.resume()
  child.stdin.end('Make add add.')
  const exitCode = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (exitCode !== 0) throw new Error(`${program} by hand ended with exit code ${String(exitCode)}.`)
  return performance.now() - startedAt
}
