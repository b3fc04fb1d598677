import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Ledger, openLedger } from './sqlite-ledger.ts'

let folder: string
const open: Ledger[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-ledger-'))
})
afterEach(() => {
  for (const ledger of open.splice(0)) ledger.close()
  rmSync(folder, { recursive: true, force: true })
})

const NOON = new Date(2026, 10, 18, 12).getTime()

function ledgerAt(now = NOON): Ledger {
  const ledger = openLedger(join(folder, 'spending.db'), () => now)
  open.push(ledger)
  return ledger
}

const work = { run: 'r', agent: 'claude' }

function reserved(ledger: Ledger, limits = { dayUsd: 10 }, more = {}): number {
  const granted = ledger.reserve({ ...work, ...more }, limits)
  if (!('id' in granted)) throw new Error(`refused: ${JSON.stringify(granted)}`)
  return granted.id
}

describe('the ledger of what runs spend', () => {
  it('LIMIT-8 an agent that is new reserves all that is left; then its dearest work, at most the rest of the run', () => {
    const ledger = ledgerAt()
    const limits = { dayUsd: 10 }
    const first = reserved(ledger)
    expect(ledger.uses(limits)).toEqual([{ limit: 'dayUsd', max: 10, spent: 0, reserved: 10 }])
    ledger.settle(first, { costUsd: 2, tokens: 5 })
    expect(ledger.uses(limits)).toEqual([{ limit: 'dayUsd', max: 10, spent: 2, reserved: 0 }])
    reserved(ledger)
    reserved(ledger, limits, { costUsdMax: 1 })
    expect(ledger.uses(limits)).toMatchObject([{ spent: 2, reserved: 3 }])
  })

  it('LIMIT-9 what is reserved is waited for, what is spent is not', () => {
    const ledger = ledgerAt()
    const limits = { dayUsd: 10 }
    const first = reserved(ledger)
    expect(ledger.reserve({ run: 'other', agent: 'claude' }, limits)).toMatchObject({ limit: 'dayUsd', isHeldBy: ['r'] })
    ledger.settle(first, { costUsd: 6, tokens: 1 })
    const refused = ledger.reserve({ run: 'other', agent: 'claude' }, limits)
    expect(refused).toEqual({ limit: 'dayUsd', max: 10, spent: 6, reserved: 0, wanted: 6 })
  })

  it.each<[string, object, object]>([
    ['tokens without a price count as what was reserved', { tokens: 5 }, { spent: 10, isEstimated: true }],
    ['work that was cut off, too', { costUsd: 1, tokens: 5, isUsagePartial: true }, { spent: 10, isEstimated: true }],
    ['a price from pawl.yaml', { costUsd: 1, tokens: 5, isCostEstimated: true }, { spent: 1, isEstimated: true }],
    ['an agent that reports nothing costs nothing', {}, { spent: 0 }],
  ])('LIMIT-10 %s', (_name, used, use) => {
    const ledger = ledgerAt()
    ledger.settle(reserved(ledger), used)
    expect(ledger.uses({ dayUsd: 10 })).toEqual([{ limit: 'dayUsd', max: 10, reserved: 0, ...use }])
  })

  it('LIMIT-11 days and months begin by the clock of the machine', () => {
    const limits = { dayUsd: 10, monthUsd: 15, dayTokens: 1000 }
    const before = ledgerAt(NOON - 86_400_000)
    before.settle(reserved(before), { costUsd: 9, tokens: 800 })
    expect(ledgerAt().uses(limits)).toMatchObject([
      { spent: 0 },
      { limit: 'monthUsd', spent: 9 },
      { limit: 'dayTokens', spent: 0 },
    ])
    expect(ledgerAt().reserve(work, limits)).toMatchObject({ limit: 'monthUsd', wanted: 9 })
    const next = ledgerAt(new Date(2026, 11, 1, 0, 0, 1).getTime())
    expect(next.uses(limits)).toMatchObject([{ spent: 0 }, { spent: 0 }, { spent: 0 }])
  })

  it('LIMIT-12 work that uses more than was reserved takes from what is left, and the ledger says when a ceiling is reached', () => {
    const ledger = ledgerAt()
    const limits = { dayUsd: 10 }
    ledger.settle(reserved(ledger), { costUsd: 2, tokens: 1 })
    const id = reserved(ledger)
    expect(ledger.cover(id, { costUsd: 7 }, limits)).toBeUndefined()
    expect(ledger.uses(limits)).toMatchObject([{ spent: 2, reserved: 7 }])
    expect(ledger.reserve({ run: 'other', agent: 'claude' }, limits)).toMatchObject({ reserved: 7, isHeldBy: ['r'] })
    expect(ledger.cover(id, { costUsd: 8 }, limits)).toMatchObject({ limit: 'dayUsd', wanted: 8 })
  })

  it('LIMIT-13 the reservation of a process that died is free again; what it reported is spent', async () => {
    const path = join(folder, 'spending.db')
    const source = `
      const { openLedger } = await import(${JSON.stringify(join(import.meta.dirname, 'sqlite-ledger.ts'))})
      const ledger = openLedger(${JSON.stringify(path)})
      const { id } = ledger.reserve({ run: 'dead', agent: 'claude' }, { dayUsd: 10 })
      ledger.cover(id, { costUsd: 3 }, { dayUsd: 10 })
      process.kill(process.pid, 'SIGKILL')`
    const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: 'ignore' })
    await once(child, 'close')
    const ledger = openLedger(path)
    open.push(ledger)
    expect(ledger.uses({ dayUsd: 10 })).toMatchObject([{ spent: 0, reserved: 10 }])
    expect(ledger.reserve({ run: 'next', agent: 'claude' }, { dayUsd: 10 })).toHaveProperty('id')
    expect(ledger.uses({ dayUsd: 10 })).toMatchObject([{ spent: 3, reserved: 7, isEstimated: true }])
  })

  it('LIMIT-14 of many processes at once, no more get a reservation than there is room for', async () => {
    const ledger = openLedger(join(folder, 'spending.db'))
    open.push(ledger)
    ledger.settle(reserved(ledger), { costUsd: 1, tokens: 1 })
    // Each holds its reservation until all have asked.
    const source = `
      const { openLedger } = await import(${JSON.stringify(join(import.meta.dirname, 'sqlite-ledger.ts'))})
      const ledger = openLedger(${JSON.stringify(join(folder, 'spending.db'))})
      const granted = ledger.reserve({ run: String(process.pid), agent: 'claude' }, { dayUsd: 4.5 })
      process.stdout.write('id' in granted ? 'granted' : 'refused')
      process.stdin.resume()`
    const children = Array.from({ length: 6 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['pipe', 'pipe', 'ignore'] }),
    )
    const answers = await Promise.all(children.map(async ({ stdout }) => String((await once(stdout, 'data'))[0])))
    for (const { stdin } of children) stdin.end()
    await Promise.all(children.map((child) => once(child, 'close')))
    expect(answers.toSorted()).toEqual(['granted', 'granted', 'granted', 'refused', 'refused', 'refused'])
  })

  it('LIMIT-15 a file that is no ledger is refused with its name', () => {
    const path = join(folder, 'spending.db')
    writeFileSync(path, 'no database at all, and longer than a header of SQLite would be, to be sure of it')
    expect(() => openLedger(path)).toThrow(`The ledger of what runs spend, ${path}, can't be used`)
  })
})
