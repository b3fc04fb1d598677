import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verifyChain } from '../../src/journal/hash-chain.ts'
import { postgresStore } from '../../src/stores/postgres-store.ts'
import { storeConformance } from '../../src/testing/store-conformance.ts'
import { freePort, postgresMissing, startPostgres, UNPRIVILEGED } from './postgres-server.ts'

const pgbouncer = spawnSync('pgbouncer', ['--version']).status === 0
const missing = postgresMissing() ?? (pgbouncer ? undefined : '`pgbouncer` is not on the PATH')

/** Those that hold claims, retry and watch. */
const CASES = /STORE-(?:1|4|5|13|15|16|236|310|316|320) /

test.skipIf(missing)(
  `POSTGRES-13 a pooler may give each transaction another connection${missing ? `; skipped: ${missing}` : ''}`,
  async () => {
    await using server = await startPostgres()
    const url = new URL(await server.newDatabase())
    const folder = mkdtempSync(join(tmpdir(), 'pawl-pooler-'))
    const user = process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {}
    if (user.uid !== undefined) chownSync(folder, user.uid, user.gid)
    const port = await freePort()
    writeFileSync(
      join(folder, 'pooler.ini'),
      `[databases]
* = host=127.0.0.1 port=${server.port} user=pawl password=${server.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
server_reset_query_always = 1
server_reset_query = DISCARD ALL
`,
    )
    const pooler = spawn('pgbouncer', [join(folder, 'pooler.ini')], { ...user, stdio: ['ignore', 'ignore', 'pipe'] })
    try {
      let said = ''
      for await (const bytes of pooler.stderr) {
        said += String(bytes)
        if (said.includes('process up')) break
      }
      pooler.stderr.resume()
      url.port = String(port)
      let places = 0
      const cases = storeConformance('pooler', ({ leaseMs }) => {
        const place = `${url.href}?schema=pooled_${++places}`
        return { open: () => postgresStore({ url: place, leaseMs }), dispose: () => undefined }
      }).filter(({ name }) => CASES.test(name))
      for (const { run } of cases) await run()
      const store = postgresStore({ url: `${url.href}?schema=pooled_1` })
      expect(cases.length).toBeGreaterThan(10)
      expect(verifyChain(await store.readStored('fix-login')).ok).toBe(true)
      await store.close()
    } finally {
      const ended = once(pooler, 'exit')
      pooler.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true })
    }
  },
)
