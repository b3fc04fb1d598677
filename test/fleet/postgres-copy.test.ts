import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../src/process/run-command.ts'
import { currentProcessIdentity } from '../../src/process/process-identity.ts'
import { postgresStore } from '../../src/stores/postgres-store.ts'
import { sqliteStore } from '../../src/stores/sqlite-store.ts'
import { claimed, drive, iterationStarted, runPaused } from '../../src/testing/store-case.ts'
import { postgresMissing, type PostgresServer, startPostgres } from './postgres-server.ts'

const missing = postgresMissing()
const PAWL = join(import.meta.dirname, '../../src/surfaces/cli/main.ts')

describe.skipIf(missing)(`pawl and Postgres${missing ? `, skipped: ${missing}` : ''}`, () => {
  let server: PostgresServer
  const folder = mkdtempSync(join(tmpdir(), 'pawl-copy-'))
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  async function pawl(words: readonly string[], env: Record<string, string> = {}) {
    const result = await runCommand({
      command: [process.execPath, PAWL, ...words],
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...env },
      timeoutMs: 60_000,
      signal: new AbortController().signal,
      onStarted: async () => undefined,
    })
    if (result.status !== 'exited') throw new Error(`pawl ${words.join(' ')}: ${result.status}`)
    return { code: result.exitCode, text: result.output.text }
  }

  test('POSTGRES-10 runs are copied from a file to a database and back with hashes and texts; held and different ones are left out', async () => {
    const url = await server.newDatabase()
    const [there, back] = [join(folder, 'there.db'), join(folder, 'back.db')]
    const file = sqliteStore({ path: there })
    const text = await file.putText({ text: 'a long output\n'.repeat(2000), bytesCut: 0 })
    for (const run of ['done', 'taken', 'other']) await file.append(run, [runPaused(text.sha256), runPaused(run)])
    const held = await claimed(file, 'taken')
    await drive(file, held, 2, iterationStarted(1))
    const database = postgresStore({ url })
    await database.append('other', [runPaused('another story')])

    const first = await pawl(['store', 'copy', there, url])
    expect(first).toMatchObject({ code: 1, text: expect.stringContaining('✓ done  2 events, 1 text') })
    expect(first.text).toContain(`✗ taken  process ${currentProcessIdentity().pid}`)
    expect(first.text).toContain('✗ other  another run has this name there')
    expect(first.text).not.toContain(server.password)
    expect(await database.readStored('done')).toEqual(await file.readStored('done'))
    expect(await database.getText(text)).toBe('a long output\n'.repeat(2000))
    expect(await database.readStored('taken')).toEqual([])

    await file.release(held)
    expect(await pawl(['store', 'copy', there, url, '--run', 'taken', 'done'])).toMatchObject({
      code: 0,
      text: expect.stringContaining('is there already'),
    })
    expect(await pawl(['store', 'copy', url, back, '--run', 'taken', 'done'])).toMatchObject({ code: 0 })
    const copy = sqliteStore({ path: back })
    for (const run of ['done', 'taken']) expect(await copy.readStored(run)).toEqual(await file.readStored(run))
    expect(await copy.getText(text)).toBe('a long output\n'.repeat(2000))
    await Promise.all([file.close(), database.close(), copy.close()])
  })

  test('POSTGRES-11 PAWL_STORE and store: of pawl.yaml open the database for every command; doctor says whether it is reached', async () => {
    const url = await server.newDatabase()
    const store = postgresStore({ url })
    await store.append('from-afar', [runPaused('tea')])
    await store.close()
    mkdirSync(join(folder, '.git'), { recursive: true })
    writeFileSync(join(folder, 'pawl.yaml'), `agent: tinker\nstore: ${url.replace(`:${server.password}`, '')} # for the team\n`)
    for (const env of [{ PAWL_STORE: url }, { PGPASSWORD: server.password }]) {
      const listed = await pawl(['ls', '--all'], env)
      expect(listed).toMatchObject({ code: 0, text: expect.stringContaining('from-afar') })
      expect((await pawl(['verify', 'from-afar'], env)).code).toBe(0)
      const doctor = await pawl(['doctor'], env)
      expect(doctor.text).toMatch(/postgres:\/\/127\.0\.0\.1:\d+\/test_\d+: 1 run, reached/)
      expect(doctor.text).not.toContain(server.password)
    }
    const wrong = await pawl(['ls'], { PGPASSWORD: 'wrong-password' })
    expect(wrong).toMatchObject({ code: 7, text: expect.stringContaining('PGPASSWORD') })
    expect(wrong.text.trim().split('\n').length).toBeLessThanOrEqual(3)
    expect(await pawl(['ls'], { PAWL_STORE: 'mysql://db/pawl' })).toMatchObject({ code: 7 })
  })

  test('POSTGRES-12 a run that is copied survives a copy that was killed at any time: it is whole there, or not at all', async () => {
    const url = await server.newDatabase()
    const path = join(folder, 'large.db')
    const file = sqliteStore({ path, synchronous: 'NORMAL' })
    for (let count = 0; count < 40; count++)
      await file.append(
        'large',
        Array.from({ length: 50 }, (_, index) => runPaused(`${count}/${index} ${'x'.repeat(500)}`)),
      )
    const whole = await file.readStored('large')
    await file.close()
    const database = postgresStore({ url })
    await database.runs()
    for (const afterMs of [200, 400, 600, 800, 1000, 1200]) {
      const ending = AbortSignal.timeout(afterMs)
      await runCommand({
        command: [process.execPath, PAWL, 'store', 'copy', path, url],
        cwd: folder,
        env: { PATH: process.env['PATH'] ?? '', HOME: folder },
        timeoutMs: 60_000,
        graceMs: 1,
        signal: ending,
        onStarted: async () => undefined,
      })
      expect([0, whole.length]).toContain((await database.readStored('large')).length)
    }
    expect((await pawl(['store', 'copy', path, url])).code).toBe(0)
    expect(await database.readStored('large')).toEqual(whole)
    await database.close()
  })
})
