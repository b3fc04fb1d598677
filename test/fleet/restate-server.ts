import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'

const NAME = join('@restatedev', `restate-server-${process.platform}-${process.arch}`)
const PACKAGE = join(import.meta.dirname, 'node_modules', NAME)

/** Why there is no server for the tests; `undefined` if there is one. Tests that skip say this. */
export function restateMissing(): string | undefined {
  return existsSync(PACKAGE) ? undefined : `there is no Restate server for ${process.platform}-${process.arch}`
}

/** As `npm i -D` would put it into a project. */
export function installRestate(project: string): void {
  const place = join(project, 'node_modules', NAME)
  mkdirSync(dirname(place), { recursive: true })
  symlinkSync(PACKAGE, place)
}

/** Ports that nobody uses now. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
