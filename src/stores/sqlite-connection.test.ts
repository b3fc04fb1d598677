import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqlite, type SqliteConnection } from './sqlite-connection.ts'

let folder: string
let opened: SqliteConnection[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-connection-'))
  opened = []
})
afterEach(() => {
  for (const { database } of opened) database.close()
  rmSync(folder, { recursive: true })
})

const open = async (name: string, options: { readonly logPagesMax?: number } = {}): Promise<SqliteConnection> => {
  const connection = await openSqlite({ path: join(folder, name), synchronous: 'FULL', ...options })
  opened.push(connection)
  return connection
}

const logBytes = async (name: string, options: { readonly logPagesMax?: number }): Promise<number> => {
  const { database, transact } = await open(name, options)
  const insert = database.prepare('INSERT INTO runs (run) VALUES (?)')
  for (let index = 0; index < 100; index += 1) await transact(() => insert.run(`run ${index}`))
  return statSync(join(folder, `${name}-wal`)).size
}

const FULL = 2

describe('a connection', () => {
  it('STORE-212 waits for the disk again after a light transaction, whether that was kept or not', async () => {
    const { database, transactLightly } = await open('a.db')
    const synchronous = (): unknown => database.prepare('PRAGMA synchronous').get()?.['synchronous']
    const insert = database.prepare('INSERT INTO runs (run) VALUES (?)')
    expect(await transactLightly(() => [insert.run('kept').changes, synchronous()])).toEqual([1, 1])
    expect(synchronous()).toBe(FULL)
    const failing = transactLightly(() => {
      insert.run('not kept')
      throw new Error('broken off')
    })
    await expect(failing).rejects.toThrow('broken off')
    expect(synchronous()).toBe(FULL)
    expect(database.prepare('SELECT run FROM runs').all()).toEqual([{ run: 'kept' }])
  })

  it('STORE-213 takes its log into the file once that has as many pages as it may have', async () => {
    const [small, usual] = [await logBytes('small.db', { logPagesMax: 8 }), await logBytes('usual.db', {})]
    expect(small).toBeLessThan(20 * 4200)
    expect(usual).toBeGreaterThan(100 * 4096)
  })
})
