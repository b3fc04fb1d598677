import { existsSync } from 'node:fs'
import { realpath, rm } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BoxRecord, Refusal } from '../core/event-data.ts'
import { makeOwnedFolder } from '../process/owned-folder.ts'
import { openEgress, parsedRule } from './egress.ts'
import { isBelow } from './home-paths.ts'
import type { BoxRequest, OpenBox } from './isolation.ts'
import { inHome, neededHome, ownPlaces, type Places } from './mounts.ts'
import { refusalList, refusedIn } from './refusals.ts'
import type { SandboxOptions } from './settings.ts'

/** A box as far as it doesn't matter what makes it: its folder, its way to the network, and what it refuses. */
export interface BoxBase extends Omit<OpenBox, 'prefix' | 'enforced'> {
  readonly folder: string
  readonly places: Places
  /** For the journal. */
  readonly rules: Pick<BoxRecord, 'network' | 'hosts' | 'writable'>
  /** Whether the network is closed, leads through the proxy, or is open. */
  readonly network: 'none' | 'proxy' | 'open'
  /** Variables that are set inside. */
  readonly variables: Readonly<Record<string, string>>
  /** What comes before the command inside, after the program that runs Pawl's own JavaScript. Empty without the proxy. */
  readonly relay: readonly string[]
}

/** Opens what every kind of box has. With `hasRelay` there is a proxy for every agent, which refuses all if nothing is allowed, and names it. */
export async function openBox(settings: Required<SandboxOptions>, request: BoxRequest, hasRelay = false): Promise<BoxBase> {
  const { onRefusal = () => undefined, needs = {} } = request
  const cwd = await realpath(request.cwd)
  const folder = await makeOwnedFolder()
  const refused = refusalList(onRefusal)
  const allow = hostsFor(settings, request)
  const network = allow.includes('*') ? 'open' : allow.length === 0 ? 'none' : 'proxy'
  const socket = join(folder, 'proxy.sock')
  const onRefused = (name: string, program = ''): void => {
    const way = request.purpose === 'check' ? { isCheck: true as const } : { allow: name }
    refused.add({ what: 'host', name, ...(program === '' ? {} : { program }), ...way })
  }
  const isProxied = network === 'proxy' || (network === 'none' && hasRelay && request.purpose === 'work')
  const egress = isProxied ? await openEgress({ socket, allowed: allow, onRefused }) : undefined
  const home = await neededHome(needs)
  const beside = await realpath(request.workspace ?? cwd)
  const workspace = beside === cwd ? {} : { workspace: beside }
  return {
    cwd,
    folder,
    places: {
      cwd,
      folder,
      home,
      settings: needs.settings ?? [],
      own: ownPlaces(needs),
      hidden: request.hidden ?? [],
      ...workspace,
    },
    rules: { network, ...(network === 'proxy' ? { hosts: allow } : {}), writable: [...home, ...inHome(settings.writable)] },
    network,
    variables: { TMPDIR: folder, ...(egress ? PROXY_VARIABLES : {}) },
    relay: egress ? [relayProgram(), socket, [PROXY_PORT, ...localPorts(allow)].join(',')] : [],
    see: refusedIn(
      (path) => refused.add({ what: 'write', name: path, ...allowing(path, cwd) }),
      network === 'open' ? undefined : onRefused,
    ),
    refusals: refused.all,
    close: async () => {
      await egress?.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The folder that would have to be writable: the nearest that is there. What is protected in the workspace itself nothing allows. */
function allowing(path: string, cwd: string): Pick<Refusal, 'allow'> {
  if (!isAbsolute(path) || isBelow(cwd, path)) return {}
  let place = path
  while (!existsSync(place)) place = dirname(place)
  return place === '/' ? {} : { allow: place }
}

/** The hosts that a box lets through. */
export function hostsFor(
  { allow }: Required<SandboxOptions>,
  { purpose, needs }: Pick<BoxRequest, 'purpose' | 'needs'>,
): readonly string[] {
  return purpose === 'check' ? [] : [...allow, ...(needs?.hosts ?? [])]
}

const PROXY_PORT = 3128
const PROXY_URL = `http://127.0.0.1:${PROXY_PORT}`
const PROXY_VARIABLES = {
  HTTP_PROXY: PROXY_URL,
  HTTPS_PROXY: PROXY_URL,
  http_proxy: PROXY_URL,
  https_proxy: PROXY_URL,
  NODE_USE_ENV_PROXY: '1',
}

/** Ports of this machine that are allowed by name and port. */
function localPorts(allow: readonly string[]): readonly number[] {
  const rules = allow.map(parsedRule).filter(({ pattern }) => pattern === 'localhost')
  return [...new Set(rules.flatMap(({ port }) => (port === undefined ? [] : [port])))]
}

/** The program that passes connections on, beside this one in the bundle. */
export function relayProgram(): string {
  if (import.meta.url.endsWith('.ts')) return fileURLToPath(new URL('inside.ts', import.meta.url))
  return ['./sandbox-inside.mjs', '../sandbox-inside.mjs']
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((path) => existsSync(path)) as string
}
