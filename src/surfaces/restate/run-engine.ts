import { dirname, join } from 'node:path'
import { didYouMean } from '../../core/names.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { openStore } from '../../registry/open-store.ts'
import type { Project } from '../../settings/find-project.ts'
import type { DrivenRun } from './restate-runs.ts'
import { findRestateServer, isServing, registerRuns, startRestateServer } from './restate-server.ts'

/** A call of `pawl engine`. */
export interface EngineCommand {
  readonly verb: string
  readonly runs: readonly string[]
  readonly project: Project
  readonly port: number
  readonly ingressUrl: string
  readonly adminUrl: string
  readonly host?: string
  readonly publicUrl?: string
  readonly identityKeys: readonly string[]
  readonly lookEveryMs: number
  readonly isJson: boolean
  readonly say: (line: string) => void
}

const VERBS = ['up', 'serve', 'drive']

/** Does what the command says; `up` and `serve` until the process is asked to end. */
export async function runEngine(command: EngineCommand): Promise<void> {
  const { verb, runs } = command
  if (!VERBS.includes(verb)) throw new PawlError('usage.engine', `pawl engine knows no "${verb}"${didYouMean(verb, VERBS)}`)
  if (verb === 'drive') return handOver(command)
  const [extra] = runs
  if (extra !== undefined)
    throw new PawlError('usage.engine', `pawl engine ${verb} takes no "${extra}". To drive it: pawl engine drive ${extra}`)
  await serveUntilEnd(command)
}

/** Sends runs to Restate. What Restate drives already is sent to it once more, which changes nothing. */
async function handOver({ runs, ingressUrl, project, isJson, say }: EngineCommand): Promise<void> {
  if (runs.length === 0) throw new PawlError('usage.engine', 'Which runs? pawl ls lists them: pawl engine drive RUN…')
  const store = openStore(project.storePath)
  try {
    const known = new Set((await store.runs()).map(({ run }) => run))
    const missing = runs.find((run) => !known.has(run))
    if (missing !== undefined)
      throw new PawlError('run.unknown', `There is no run "${missing}"${didYouMean(missing, [...known])}`)
  } finally {
    await store.close()
  }
  const { RUNS } = await restateSdk(() => import('./restate-runs.ts'))
  for (const run of runs) {
    const response = await fetch(`${ingressUrl}/${RUNS}/${encodeURIComponent(run)}/drive/send`, { method: 'POST' }).catch(
      () => undefined,
    )
    if (!response)
      throw new PawlError('engine.unreachable', `Restate isn't reachable at ${ingressUrl}.\nStart one: pawl engine up`)
    if (!response.ok) throw new PawlError('engine.refused', `Restate took no run "${run}": ${await response.text()}`)
    if (!isJson) say(`${run} is driven by Restate. Watch it: pawl attach ${run}`)
  }
  if (isJson) say(JSON.stringify({ driven: runs }))
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

async function serveUntilEnd(command: EngineCommand): Promise<void> {
  const { verb, project, port, ingressUrl, adminUrl, host, publicUrl, identityKeys, lookEveryMs, isJson, say } = command
  const end = new AbortController()
  for (const name of SIGNALS) process.on(name, () => end.abort())
  const { serveRestate } = await restateSdk(() => import('./serve-restate.ts'))
  const { storedRun } = await import('./stored-runs.ts')
  const program = verb === 'up' && !(await isServing(adminUrl)) ? await findRestateServer(project.root) : undefined
  const store = openStore(project.storePath)
  const atWork = new Set<Promise<unknown>>()
  const loopOf = async (run: string): Promise<DrivenRun> => {
    const loop = await storedRun(store, project.storePath, run)
    return {
      ...loop,
      run: (name, options) => {
        const working = loop.run(name, options).finally(() => atWork.delete(working))
        atWork.add(working)
        return working
      },
    }
  }
  const served = await serveRestate({
    loopOf,
    ingressUrl,
    lookEveryMs,
    signal: end.signal,
    port,
    identityKeys,
    ...(host === undefined ? {} : { host }),
  })
  const server =
    program === undefined
      ? undefined
      : await startRestateServer(program, join(dirname(project.storePath), 'restate'), {
          ingressPort: Number(new URL(ingressUrl).port),
          adminPort: Number(new URL(adminUrl).port),
        }).catch(async (error: unknown) => {
          await served.close()
          throw error
        })
  try {
    await registerRuns(adminUrl, publicUrl ?? served.url)
    if (isJson)
      say(
        JSON.stringify({ url: served.url, ingressUrl, adminUrl, pid: process.pid, ...(server ? { serverPid: server.pid } : {}) }),
      )
    else {
      say("Restate drives this project's runs (Ctrl-C ends it; they continue with the next start)")
      say('  Drive    pawl engine drive RUN')
      say(`  Look     ${adminUrl}`)
    }
    const aborted = new Promise<undefined>((resolve) => end.signal.addEventListener('abort', () => resolve(undefined)))
    const problem = await Promise.race([aborted, ...(server ? [server.ended] : [])])
    if (problem !== undefined) throw new PawlError('engine.ended', problem)
  } finally {
    end.abort()
    // Each pauses its run.
    await Promise.allSettled(atWork)
    await served.close()
    await server?.stop()
    await store.close()
  }
}

/** The SDK is an optional package: most people never need it. */
async function restateSdk<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new PawlError(
      'engine.missing',
      'The package @restatedev/restate-sdk is missing.\nInstall it: npm i -D @restatedev/restate-sdk@1.17.2',
      { cause: error },
    )
  }
}
