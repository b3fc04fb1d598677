import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { git, testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import { blame } from './blame.ts'

let project: TestProject

beforeAll(async () => {
  project = testProject()
  await project.loop({ passesAt: 2 }).run('first')
  const path = join(project.root, 'work.txt')
  writeFileSync(path, `mine\n${readFileSync(path, 'utf8')}`)
  await project.loop({ passesAt: 1, goal: 'another' }).run('second')
  writeFileSync(path, `${readFileSync(path, 'utf8')}last\n`)
  writeFileSync(join(project.root, 'never.txt'), 'alone\n')
  await project.close()
})
afterAll(() => project.remove())

async function said(file: string, run?: string): Promise<readonly string[]> {
  const look = project.look()
  expect(await blame(look, file, run)).toBe(0)
  expect(look.warned).toEqual([])
  return look.out
}

describe('BLAME-10 pawl blame', () => {
  test('with a run tells of the file as the run left it: iteration, agent, verdict, and what was there before', async () => {
    expect(await said('work.txt', 'first')).toEqual([
      'before the run                  1  nothing yet',
      'iteration 1, scribe, 1 failing  2  line 1',
      'iteration 2, scribe, passed     3  line 2',
    ])
  })

  test('without one tells of the file as it is now, over all runs, with what people changed between and since', async () => {
    expect(await said('work.txt')).toEqual([
      'by a person, before second       1  mine',
      'before the first run             2  nothing yet',
      'first 1, scribe, 1 failing       3  line 1',
      'first 2, scribe, passed          4  line 2',
      'second 1, scribe, passed         5  line 1',
      'by a person, since the last run  6  last',
    ])
  })

  test('a file that no run touched is a person’s, or from before', async () => {
    expect(await said('never.txt')).toEqual(['by a person, since the last run  1  alone'])
  })

  test('as JSON every line has who, when, and the facts that say so', async () => {
    const look = project.look({ json: true })
    await blame(look, join(project.root, 'work.txt'), 'first')
    expect(look.documents[0]).toMatchObject({
      file: 'work.txt',
      runs: ['first'],
      missing: [],
      lines: [
        { line: 1, by: 'before', text: 'nothing yet' },
        { line: 2, by: 'agent', run: 'first', iteration: 1, role: 'coder', agent: 'scribe', verdict: '1 failing' },
        { line: 3, by: 'agent', iteration: 2, verdict: 'passed', seq: expect.any(Number), verdictSeq: expect.any(Number) },
      ],
    })
  })

  test('refuses with a sentence what cannot be known', async () => {
    await expect(blame(project.look(), 'nowhere.txt')).rejects.toMatchObject({ code: 'usage.file' })
    await expect(blame(project.look(), 'never.txt', 'first')).rejects.toThrow('Run first left no file of that name')
    await expect(blame(project.look(), '../x')).rejects.toMatchObject({ code: 'usage.file' })
    await expect(blame(project.look(), 'work.txt', 'third')).rejects.toMatchObject({ code: 'run.unknown' })
  })

  test('a run that cannot be read is left out, and named', async () => {
    await project.seed({ run: 'bad', failing: [1, 0] })
    const database = new DatabaseSync(project.storePath)
    database.exec("DELETE FROM snapshots; UPDATE events SET event = 'rubbish' WHERE run = 3 AND seq = 4")
    database.close()
    const look = project.look()
    expect(await blame(look, 'work.txt')).toBe(0)
    expect(look.out).toHaveLength(6)
    expect(look.warned).toEqual([expect.stringContaining('Run bad is left out')])
  })

  test('says when snapshots are gone', async () => {
    git(project.root, 'update-ref', '-d', 'refs/pawl/first/1')
    const look = project.look()
    await blame(look, 'work.txt', 'first')
    expect(look.out.at(-2)).toBe('iteration 2, scribe, passed  2  line 1')
    expect(look.warned[0]).toContain('Gone: 1 snapshot.')
  })
})
