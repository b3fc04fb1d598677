import { readSync, writeSync } from 'node:fs'
import { AGENT_NAMES, answerText, type HookAnswer, type HookCall, isAgentName, readCall } from './protocol.ts'
import { hook, type HookOptions } from './hook.ts'
import type { HookLimits } from './apart.ts'

const INPUT_BYTES_MAX = 20_000_000

/** A guard that trips while tools are used has the checks run; what takes longer is left to the end of the turn. */
const TOOLS_MS_MAX = 840_000

/** The word that makes this program the process apart. */
const APART = '--apart'

/** The word with which `pawl install --always` has it called. */
const ALWAYS = '--always'

const USAGE = `Usage: pawl hook ${AGENT_NAMES.join('|')} [--always]

Answers one event of an agent: its JSON on standard input, the answer on standard output. Written into the agent's
settings by \`pawl install\`. A session that no run is bound to is never kept, unless --always holds it to the checks of
pawl.yaml. Whatever goes wrong, the agent may stop.
`

/** Answers the event on standard input and exits with 0, whatever happens: the agent must see an answer that it understands. */
export async function runHook(words: readonly string[], limits?: HookLimits): Promise<void> {
  const [name, ...more] = words
  const isAlways = more.includes(ALWAYS)
  if (name === undefined || name === '--help' || name === '-h') return write(1, USAGE)
  if (more.includes(APART)) return await runApart(name, isAlways, limits)
  process.on('uncaughtException', (error) => finish('{}', `unexpected: ${String(error)}`))
  finish(...(await answerFor(name, isAlways, limits)))
}

/** The process that a hook has an end of a turn answered by. */
async function runApart(agent: string, isAlways: boolean, limits?: HookLimits): Promise<void> {
  const { beApart, HOOK_LIMITS } = await import('./apart.ts')
  await beApart(limits ?? HOOK_LIMITS, async (input, { signal, isAlone, say: tell }) => {
    const call = isAgentName(agent) ? readCall(agent, input, process.cwd()) : `"${agent}" is no agent`
    if (typeof call === 'string') throw new Error(call)
    const [answer, trouble] = await answerTo(call, { timeLimit: () => signal, isAlone, isAlways, say: tell, isLeaving: true })
    if (trouble !== undefined) tell(`${trouble}; the agent may stop.`)
    return answer
  })
}

async function answerFor(agent: string, isAlways: boolean, limits?: HookLimits): Promise<[answer: string, trouble?: string]> {
  try {
    if (!isAgentName(agent)) return ['{}', `"${agent}" isn't one of ${AGENT_NAMES.join(', ')}`]
    const input = await readInput(INPUT_BYTES_MAX)
    const call = readCall(agent, input, process.cwd())
    if (typeof call === 'string') return ['{}', call]
    const apart = async (run: string): Promise<HookAnswer> => {
      const { answerApart, HOOK_LIMITS } = await import('./apart.ts')
      return await answerApart({
        ...(limits ?? HOOK_LIMITS),
        words: [agent, APART, ...(isAlways ? [ALWAYS] : [])],
        input,
        run,
        say,
      })
    }
    const [answer, trouble] = await answerTo(call, { timeLimit, answerApart: apart, isAlways, say, isLeaving: true })
    return trouble === undefined ? [answerText(call, answer)] : [answerText(call, answer), trouble]
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return ['{}', reason]
  }
}

/** A store that is broken is opened only for a session that has a run there: at the end of its turn the screen says so. */
async function answerTo(call: HookCall, options: HookOptions): Promise<[answer: HookAnswer, trouble?: string]> {
  try {
    return [await hook(call, options)]
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const note = call.kind === 'stop' ? { note: `Pawl: ${reason} This session is let go.` } : {}
    return [{ kind: 'pass', ...note }, reason]
  }
}

/** Aborted when time is up, and when the agent itself ends its hooks: whatever runs is then ended cleanly. */
function timeLimit(): AbortSignal {
  const ending = new AbortController()
  setTimeout(() => ending.abort(), TOOLS_MS_MAX).unref()
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => ending.abort())
  return ending.signal
}

function say(line: string): void {
  write(2, `pawl hook: ${line}\n`)
}

function finish(answer: string, trouble?: string): never {
  if (trouble !== undefined) write(2, `pawl hook: ${trouble}; the agent may stop.\n`)
  write(1, `${answer}\n`)
  process.exit(0)
}

/** Nobody may be listening any more, which is no reason to fail. */
function write(descriptor: number, text: string): void {
  try {
    writeSync(descriptor, text)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') process.exitCode = 0
  }
}

/**
 * Reads all of standard input; throws if it is longer than `bytesMax`. Synchronous reads start fastest: a stream loads more modules, and
 * asynchronous reads start threads, while the agent waits. If the agent never closes its end, its own time limit ends the hook.
 */
async function readInput(bytesMax: number): Promise<string> {
  const chunks: Buffer[] = []
  for (let bytes = 0; bytes <= bytesMax;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    const count = nextBytes(chunk)
    if (count === 0) return Buffer.concat(chunks).toString('utf8')
    if (count === undefined) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    else chunks.push(chunk.subarray(0, count))
    bytes += count ?? 0
  }
  throw new Error(`standard input is longer than ${bytesMax} bytes`)
}

const CHUNK_BYTES = 64 * 1024
const PAUSE_MS = 5

/** How many bytes came; 0 at the end, `undefined` when there are none yet. */
function nextBytes(chunk: Buffer): number | undefined {
  try {
    return readSync(0, chunk, 0, CHUNK_BYTES, null)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EAGAIN') return undefined
    if (code === 'EOF') return 0
    throw error
  }
}
