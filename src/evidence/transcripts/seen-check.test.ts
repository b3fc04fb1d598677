import { describe, expect, it } from 'vitest'
import { reportParsers } from '../../checks/reports/index.ts'
import { seenCheck } from './turn-facts.ts'

const TAP = (isOk: boolean) =>
  `TAP version 13\n${isOk ? 'ok' : 'not ok'} 1 - adds\n1..1\n# tests 1\n# pass ${isOk ? 1 : 0}\n# fail ${isOk ? 0 : 1}\n`

const seen = (output: string, exitCode?: number) =>
  seenCheck({ command: 'npm test', output, ...(exitCode === undefined ? {} : { exitCode }) }, reportParsers)

describe('seenCheck', () => {
  it('IMPORT-10 a command is a check only where what it printed is a report that counts tests', () => {
    expect(seen(TAP(true), 0)).toMatchObject({ name: 'npm test', passed: true, counts: { passed: 1 } })
    expect(seen(TAP(false), 1)).toMatchObject({ passed: false, failures: [{ id: 'adds' }] })
    expect(seen(TAP(false)), 'no exit code').toMatchObject({ passed: false })
    expect(seen(TAP(false), 0), 'its exit code was lost in a pipe').toMatchObject({ passed: false })
    expect(seen(TAP(true), 1), 'something else went wrong').toBeUndefined()
    expect(seen('All 12 tests passed, as far as I can see.', 0)).toBeUndefined()
    expect(seen('src/a.ts(1,2): error TS2304: Cannot find name x.', 2)).toBeUndefined()
    expect(seen('', 0)).toBeUndefined()
  })

  it('IMPORT-11 the same tests are the same check, from whatever folder and however the output is shortened', () => {
    const names = ['npm test', 'cd /home/you/project && npm test 2>&1 | tail -40', 'cd a; npm test | head -5 | cat'].map(
      (command) => seenCheck({ command, output: TAP(true), exitCode: 0 }, reportParsers)?.name,
    )
    expect(names).toEqual(['npm test', 'npm test', 'npm test'])
  })
})
