import type { Agent } from '../../agents/agent.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { State } from '../../core/state.ts'
import type { RunConfig } from '../../core/run-config.ts'
import type { Store } from '../../stores/store.ts'
import type { Parts } from '../../engine/parts.ts'
import { openStore } from '../../registry/open-store.ts'
import { outsideAgent, partsFrom } from '../../registry/parts-from.ts'
import { ceilingsOf } from '../../settings/ceilings.ts'
import { userFolder as ownFolder } from '../../settings/user-files.ts'
import { AGENT } from './outside-agent.ts'

export interface McpProjectOptions {
  /** The folder that runs work on. */
  readonly root: string
  /** The store's file. */
  readonly storePath: string
  /** Whether an agent may hand in a person's answer itself. Default false: only a person's own client or the command line answers. */
  readonly relaysAnswers?: boolean
  /** Whether rules of an agent may run commands that no person confirmed. Default false. */
  readonly allowsAgentCommands?: boolean
  /** Where commands are kept that a person confirmed. Default: the user's own folder. */
  readonly userFolder?: string
}

/** What all tools of one server share. Nothing in it has to survive: whatever counts is in the store. */
export interface McpProject {
  readonly root: string
  readonly relaysAnswers: boolean
  readonly allowsAgentCommands: boolean
  readonly userFolder: string
  readonly store: Store
  /** What a run is made of, if `driver` is who drives it. Default: an agent in its own session. Throws `mcp.not-ours` for any other run. */
  partsFor(config: RunConfig, driver?: string): Promise<Parts>
  readonly storePath: string
  /** Calls that write to one run take turns. `after` belongs to the turn, but nobody waits for it but the next one. */
  inTurn<Result>(run: string, work: () => Promise<Result>, after: () => Promise<void>): Promise<Result>
  /** States as they were last seen, so that only what is newer has to be read. */
  readonly seen: Map<string, State>
  /** Ends what is under way and closes the store. */
  close(): Promise<void>
  /** Aborted when the server closes. */
  readonly closing: AbortSignal
}

/** How many runs are remembered between calls. */
const SEEN_MAX = 32

/** Opens a project for MCP calls; the store's file is made when first needed. */
export function openMcpProject(options: McpProjectOptions): McpProject {
  const { root, storePath, relaysAnswers = false, allowsAgentCommands = false, userFolder = ownFolder() } = options
  const store = openStore(storePath)
  const turns = new Map<string, Promise<void>>()
  const closing = new AbortController()
  const made = new WeakMap<RunConfig, Promise<Parts>>()
  return {
    root,
    relaysAnswers,
    allowsAgentCommands,
    userFolder,
    store,
    seen: boundedMap(SEEN_MAX),
    closing: closing.signal,
    partsFor: async (config, driver = AGENT) => {
      if (config.agent.name !== driver) throw notOurs(config.agent.name)
      const agent: Agent = { ...outsideAgent(config.agent), isInProcess: true }
      const parts = made.get(config) ?? partsFrom(config, { store, storePath, agent, ceilings: ceilingsOf(storePath) })
      made.set(config, parts)
      return parts
    },
    storePath,
    inTurn: (run, work, after) => {
      const done = (turns.get(run) ?? Promise.resolve()).then(work)
      const turn = done
        .then(after, after)
        .catch(reportError)
        .finally(() => {
          if (turns.get(run) === turn) turns.delete(run)
        })
      turns.set(run, turn)
      return done
    },
    close: async () => {
      closing.abort()
      await Promise.allSettled(turns.values())
      await store.close()
    },
  }
}

function notOurs(agent: string): PawlError {
  const message = `This run is driven by the agent "${agent}", not through MCP: look at it with run_history, drive it with \`pawl resume\`.`
  return new PawlError('mcp.not-ours', message, { value: agent })
}

/** For errors that belong to no call; a claim that could not be given back is free when this process ends. */
export function reportError(error: unknown): void {
  process.stderr.write(`pawl mcp: ${error instanceof Error ? error.message : String(error)}\n`)
}

/** Forgets the oldest entry when there are too many. */
function boundedMap(sizeMax: number): Map<string, State> {
  const map = new Map<string, State>()
  const set = map.set.bind(map)
  map.set = (key, value) => {
    map.delete(key)
    const [oldest] = map.keys()
    if (map.size >= sizeMax && oldest !== undefined) map.delete(oldest)
    return set(key, value)
  }
  return map
}
