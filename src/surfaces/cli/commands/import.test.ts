import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../../stores/sqlite-store.ts'
import { machineProcesses } from '../../../process/processes.ts'
import { plantedSecrets } from '../../../testing/planted-secrets.ts'
import { testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import { backtest } from './backtest.ts'
import { importRuns } from './import.ts'
import { log } from './log.ts'
import { ls } from './ls.ts'
import { resume } from './resume.ts'
import { restore } from './restore.ts'
import { show } from './show.ts'
import { stats } from './stats.ts'
import { verify } from './verify.ts'

let project: TestProject
beforeEach(() => {
  project = testProject({ isGit: false })
})
afterEach(() => project.remove())

const FIXTURES = join(import.meta.dirname, '..', '..', '..', 'evidence', 'transcripts', 'fixtures')
const fixture = (name: string) => join(FIXTURES, `${name}.jsonl`)
const CODEX = 'codex-fe98eb9e830e'

/** A row of a turn without a report. */
const unchecked = (number: number) => [`${number}`, 'not checked', expect.not.stringContaining('->')]

async function eventsOf(run: string) {
  const store = sqliteStore({ path: project.storePath })
  try {
    return await store.read(run)
  } finally {
    await store.close()
  }
}

function writeLines(path: string, lines: readonly object[]): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, lines.map((each) => `${JSON.stringify(each)}\n`).join(''))
}

function imported(name: string, paths: readonly string[], flags = {}) {
  const look = project.look({ json: true })
  return importRuns(look, name, paths, flags).then((code) => ({
    code,
    warned: look.warned,
    files: (look.documents[0] as { files: Record<string, unknown>[] }).files,
  }))
}

describe('pawl import', () => {
  it('IMPORT-12 makes a run of each session, an iteration of each turn, and dates it as it was', async () => {
    for (const name of ['claude', 'codex', 'gemini']) {
      const { code, files } = await imported(name, [fixture(name)])
      expect([code, files]).toMatchObject([
        0,
        [{ status: 'imported', turns: 10, turnsAdded: 10, checks: 4, tokens: 1100, malformed: 0 }],
      ])
      const events = await eventsOf(String(files[0]?.['run']))
      expect(events[0]).toMatchObject({
        type: 'run.started',
        data: { config: { loop: { name: 'imported', settings: { goal: 'Make add add.', kind: 'turns', agent: name } } } },
      })
      expect(events.map(({ type }) => type).filter((type) => type === 'iteration.ended')).toHaveLength(10)
      expect(events.flatMap((event) => (event.type.startsWith('check.') ? [event.type] : []))).toEqual([
        'check.failed',
        'check.failed',
        'check.failed',
        'check.passed',
      ])
      expect(events.every(({ at }, index) => at >= (events[index - 1]?.at ?? 0))).toBe(true)
      expect(new Date(events[0]?.at ?? 0).toISOString()).toMatch(/^2026-11-16T06:1/)
      expect(events.at(-1)).toMatchObject({ type: 'run.imported', data: { iteration: 10, passed: true } })
    }
  })

  it('IMPORT-13 the time in which a person had the word is no time at work', async () => {
    await imported('gemini', [fixture('gemini')])
    const look = project.look({ json: true })
    await show(look, 'gemini-0a50b3d9ed0c', {})
    const view = look.documents[0] as { totals: { activeMs: number }; startedAt: number; updatedAt: number }
    expect(view.totals.activeMs).toBeLessThan(view.updatedAt - view.startedAt - 10_000)
  })

  it('IMPORT-14 importing again does nothing and says so', async () => {
    await imported('codex', [fixture('codex')])
    const before = await eventsOf(CODEX)
    const look = project.look()
    expect(await importRuns(look, 'codex', [fixture('codex')], {})).toBe(0)
    expect(look.out).toEqual(['0 sessions imported, 1 there already.'])
    expect(await eventsOf(CODEX)).toEqual(before)
  })

  it('IMPORT-15 a session that has grown is continued with, and what was cut short is finished', async () => {
    const lines = readFileSync(fixture('codex'), 'utf8').trimEnd().split('\n')
    const part = join(project.root, 'rollout-part.jsonl')
    writeFileSync(part, lines.slice(0, 30).join('\n'))
    const first = await imported('codex', [part])
    writeFileSync(part, lines.join('\n'))
    const { files } = await imported('codex', [part])
    const turns = Number(first.files[0]?.['turns'])
    expect(files).toMatchObject([{ status: 'grown', turns: 10, turnsAdded: 10 - turns, run: CODEX }])
    const numbers = (await eventsOf(CODEX)).flatMap((event) => (event.type === 'iteration.ended' ? [event.data.iteration] : []))
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })

  it.each(['claude', 'codex', 'gemini'])(
    'IMPORT-30 what came later of a session of %s counts as time at work too',
    async (name) => {
      const activeMs = async (run: unknown) => {
        const look = project.look({ json: true })
        await show(look, String(run), {})
        return (look.documents[0] as { totals: { activeMs: number } }).totals.activeMs
      }
      const lines = readFileSync(fixture(name), 'utf8').trimEnd().split('\n')
      const part = join(project.root, 'rollout-part.jsonl')
      writeFileSync(part, lines.slice(0, Math.ceil(lines.length / 2)).join('\n'))
      const { files } = await imported(name, [part])
      const before = await activeMs(files[0]?.['run'])
      writeFileSync(part, lines.join('\n'))
      expect((await imported(name, [part])).files).toMatchObject([{ status: 'grown' }])
      const grown = await activeMs(files[0]?.['run'])
      expect(grown).toBeGreaterThan(before)
      const whole = await imported(name, [fixture(name)], { id: 'at-once' })
      expect(whole.files).toMatchObject([{ status: 'imported', run: 'at-once' }])
      expect(await activeMs('at-once')).toBe(grown)
    },
  )

  it('IMPORT-16 an unreadable line is reported with file and line, counted and skipped', async () => {
    const broken = join(project.root, 'rollout-broken.jsonl')
    writeFileSync(broken, readFileSync(fixture('codex'), 'utf8').replace('\n', '\n{broken\n'))
    const { code, warned, files } = await imported('codex', [broken])
    expect([code, files]).toMatchObject([0, [{ malformed: 1, turns: 10 }]])
    expect(warned).toEqual([expect.stringContaining(`${broken}:2: it is no JSON`)])
  })

  it('IMPORT-17 a dry run writes nothing, not even a store', async () => {
    const look = project.look()
    expect(await importRuns(look, 'claude', [FIXTURES], { dryRun: true })).toBe(0)
    expect(look.out.at(-1)).toBe('1 session would be imported.')
    expect(look.warned).toEqual([
      `This is a transcript of Codex: pawl import codex ${fixture('codex')}`,
      `2 files are transcripts of Gemini CLI: pawl import gemini ${fixture('gemini-acp')} ${fixture('gemini')}`,
    ])
    const after = project.look({ json: true })
    await ls(after)
    expect(after.documents).toEqual([[]])
  })

  it('IMPORT-18 a name that is taken, an unknown agent and a file that isn’t a transcript are reported in plain words', async () => {
    await project.seed({ run: 'mine', failing: [0] })
    const { code, files } = await imported('codex', [fixture('codex')], { id: 'mine' })
    expect([code, files]).toMatchObject([1, [{ problem: 'Run mine is of no transcript: give this one another name with --id.' }]])
    const look = project.look()
    await expect(importRuns(look, 'cursor', ['x'], {})).rejects.toThrow(
      'cannot be read; of these they can: claude, codex, gemini',
    )
    await expect(importRuns(look, 'codex', [], {})).rejects.toThrow('Codex keeps them in ~/.codex/sessions')
    await expect(importRuns(look, 'codex', [fixture('codex'), fixture('claude')], { id: 'x' })).rejects.toThrow(
      'there are 2 files',
    )
    writeFileSync(join(project.root, 'prose.jsonl'), 'This is no transcript.\n')
    const none = await imported('claude', [join(project.root, 'prose.jsonl')])
    expect([none.code, none.files]).toMatchObject([1, [{ problem: 'There is no session of Claude Code in it.' }]])
  })

  it('IMPORT-34 another agent’s transcript is reported as such, with the command that reads it', async () => {
    const names = ['claude', 'codex', 'gemini', 'gemini-acp']
    for (const name of ['claude', 'codex', 'gemini'])
      for (const of of names.filter((each) => !each.startsWith(name))) {
        const { code, files } = await imported(name, [fixture(of)])
        const [agent = ''] = of.split('-')
        expect([code, files]).toMatchObject([1, [{ status: 'empty', otherAgent: agent }]])
        expect(files[0]?.['problem']).toMatch(/^This is a transcript of [A-Z]/)
        expect(files[0]?.['problem']).toContain(`pawl import ${agent} ${fixture(of)}`)
      }
  })

  it('IMPORT-34 another agent’s folder is reported in one line', async () => {
    const folder = join(project.root, 'sessions')
    mkdirSync(folder)
    for (const name of ['a', 'b', 'c']) cpSync(fixture('codex'), join(folder, `rollout-${name}.jsonl`))
    const look = project.look()
    expect(await importRuns(look, 'claude', [folder], {})).toBe(1)
    expect(look.warned).toEqual([`3 files are transcripts of Codex: pawl import codex ${folder}`])
    const chats = join(project.root, 'chats')
    mkdirSync(chats)
    cpSync(fixture('claude'), join(chats, 'one.jsonl'))
    await expect(importRuns(look, 'codex', [chats], {})).rejects.toThrow(
      `There are no transcripts of Codex in ${chats}, but there are some of Claude Code: pawl import claude ${chats}`,
    )
  })

  it('IMPORT-34 the suggested command names only what has files of that agent, and works as it is', async () => {
    const sessions = join(project.root, 'my sessions')
    mkdirSync(sessions)
    for (const name of ['a', 'b']) cpSync(fixture('codex'), join(sessions, `rollout-${name}.jsonl`))
    const own = join(project.root, "claude's.jsonl")
    cpSync(fixture('claude'), own)
    const look = project.look()
    expect(await importRuns(look, 'claude', [sessions, own], {})).toBe(0)
    expect(look.warned).toEqual([`2 files are transcripts of Codex: pawl import codex '${sessions}'`])
    const one = await imported('codex', [own])
    expect(one.files[0]?.['problem']).toContain(`pawl import claude '${project.root}/claude'\\''s.jsonl'`)
    const renamed = join(project.root, 'renamed')
    mkdirSync(renamed)
    const files = ['a', 'b'].map((name) => join(renamed, `${name}.jsonl`))
    for (const file of files) cpSync(fixture('codex'), file)
    const other = project.look()
    expect(await importRuns(other, 'claude', [renamed], {})).toBe(1)
    expect(other.warned, 'a folder in which nothing is called so would be refused').toEqual([
      `2 files are transcripts of Codex: pawl import codex ${files.join(' ')}`,
    ])
    const [line = ''] = other.warned
    expect(await importRuns(project.look(), 'codex', line.split('pawl import codex ')[1]?.split(' ') ?? [], {})).toBe(0)
    for (const name of ['c', 'd']) cpSync(fixture('codex'), join(renamed, `${name}.jsonl`))
    const many = project.look()
    expect(await importRuns(many, 'claude', [renamed], {})).toBe(1)
    expect(many.warned).toEqual([`4 files are transcripts of Codex: pawl import codex '${renamed}/**/*.json*'`])
    expect(await importRuns(project.look(), 'codex', [`${renamed}/**/*.json*`], {})).toBe(0)
  })

  describe('a folder of Qwen Code', () => {
    const session = { sessionId: '5d1c0a52-1111-4222-8333-944445555666' }
    const timestamp = '2026-11-16T06:00:00.000Z'
    const line = (type: string, more: object) => ({ uuid: type, parentUuid: null, ...session, timestamp, type, ...more })
    const chat = [
      line('system', { subtype: 'ui_telemetry', systemPayload: { uiEvent: { 'event.name': 'api_response' } } }),
      line('user', { cwd: '/home/me/shop', version: '0.24.4', message: { role: 'user', parts: [{ text: 'Make add add.' }] } }),
      line('assistant', { model: 'coder', message: { role: 'model', parts: [{ text: 'It adds.' }] } }),
    ]
    const made = () => {
      const folder = join(project.root, 'qwen')
      const file = join(folder, 'projects', 'shop', 'chats', `${session.sessionId}.jsonl`)
      writeLines(file, chat)
      writeLines(join(folder, 'usage', 'token-usage-2026-11.jsonl'), [{ schemaVersion: 1, id: 'u', timestamp, ...session }])
      writeLines(join(folder, 'usage_record.jsonl'), [{ version: 1, ...session, timestamp: 1794847135694, models: {} }])
      return { folder, file }
    }

    it('IMPORT-38 is reported as one of Qwen Code, whose transcripts cannot be imported, whichever agent was named', async () => {
      const { folder, file } = made()
      const look = project.look()
      expect(await importRuns(look, 'claude', [folder], {})).toBe(1)
      expect(look.warned).toEqual([`${file} is a transcript of Qwen Code: those cannot be imported.`])
      expect(look.out).toEqual(['0 sessions imported, 2 without a turn of the agent.'])
      for (const [name, title] of [
        ['codex', 'Codex'],
        ['gemini', 'Gemini CLI'],
      ] as const)
        await expect(importRuns(project.look(), name, [folder], {})).rejects.toThrow(
          `There are no transcripts of ${title} in ${folder}, but there are some of Qwen Code: those cannot be imported.`,
        )
      cpSync(file, join(folder, 'copy.jsonl'))
      const again = project.look()
      expect(await importRuns(again, 'claude', [folder], {})).toBe(1)
      expect(again.warned).toEqual(['2 files are transcripts of Qwen Code: those cannot be imported.'])
      const one = await imported('gemini', [file])
      expect([one.code, one.files]).toMatchObject([
        1,
        [{ otherAgent: 'qwen', problem: 'This is a transcript of Qwen Code: those cannot be imported.' }],
      ])
    })

    it('IMPORT-38 a file that only names sessions is a transcript of nobody', async () => {
      const { folder } = made()
      for (const name of ['claude', 'codex', 'gemini'])
        for (const file of [join(folder, 'usage_record.jsonl'), join(folder, 'usage', 'token-usage-2026-11.jsonl')]) {
          const { code, files } = await imported(name, [file])
          expect([code, files[0]?.['status'], files[0]?.['otherAgent']]).toEqual([1, 'empty', undefined])
        }
      await expect(importRuns(project.look(), 'gemini', [join(folder, 'usage')], {})).rejects.toMatchObject({
        code: 'transcript.none',
      })
    })

    it('IMPORT-38 beside readable transcripts, those are named, with a command that works', async () => {
      const { folder } = made()
      cpSync(fixture('claude'), join(folder, 'session.jsonl'))
      const sentence = `There are no transcripts of Codex in ${folder}, but there are some of Claude Code: pawl import claude ${folder}`
      await expect(importRuns(project.look(), 'codex', [folder], {})).rejects.toThrow(sentence)
      expect(await importRuns(project.look(), 'claude', [folder], {})).toBe(0)
      const renamed = join(project.root, 'renamed')
      mkdirSync(renamed)
      cpSync(fixture('gemini'), join(renamed, 'one.jsonl'))
      const only = `pawl import gemini ${join(renamed, 'one.jsonl')}`
      await expect(importRuns(project.look(), 'codex', [renamed], {})).rejects.toThrow(only)
    })
  })

  it('IMPORT-19 an imported run is shown as one and cannot continue', async () => {
    await imported('codex', [fixture('codex')])
    const look = project.look()
    await ls(look)
    expect(look.out[1]).toMatch(/^codex-fe98eb9e830e +imported +10 /)
    const only = project.look({ json: true })
    await ls(only, { status: 'imported' })
    expect(only.documents[0]).toMatchObject([{ run: CODEX, isImported: true }])
    const shown = project.look()
    await show(shown, CODEX, {})
    expect(shown.out.join('\n')).toContain('Imported from a session of codex: 10 turns, the last tests that were seen passed.')
    expect(shown.out.join('\n')).not.toContain('pawl restore')
    await expect(resume(project.look(), {}, CODEX)).rejects.toMatchObject({ code: 'run.imported' })
    await expect(restore(project.look(), CODEX, '2', { yes: true })).rejects.toThrow('its files were never seen')
  })

  it('IMPORT-20 statistics, backtests and the proof of the journal take it like any other run', async () => {
    for (const name of ['claude', 'codex', 'gemini']) await imported(name, [fixture(name)])
    const counted = project.look()
    await stats(counted, {})
    expect(counted.out[0]).toContain('3 runs: 3 succeeded')
    expect(counted.out.join('\n')).toMatch(/^Used .*, at least \$0\.006, 3,300 tokens$/m)
    const tried = project.look()
    expect(await backtest(tried, [project.root], {})).toBe(0)
    expect(tried.out.join('\n')).toContain('turns, pawl imported: 3 loops')
    const proven = project.look()
    expect(await verify(proven)).toBe(0)
  })

  it('IMPORT-32 a turn without a report is shown as not checked, and so is a session without any', async () => {
    await imported('codex', [fixture('codex')])
    const talk = [
      { sessionId: 'talk-1', kind: 'main' },
      { id: '1', timestamp: '2026-11-16T06:00:00.000Z', type: 'user', content: 'Explain it.' },
      { id: '2', timestamp: '2026-11-16T06:00:01.000Z', type: 'gemini', content: 'It adds.', tokens: { total: 7 } },
    ]
    const path = join(project.root, 'session-talk.jsonl')
    writeFileSync(path, talk.map((line) => JSON.stringify(line)).join('\n'))
    await imported('gemini', [path])
    const counted = project.look()
    await stats(counted, {})
    expect(counted.out[0]).toMatch(/2 runs: 1 succeeded .*, 1 imported without a report of tests$/)
    const listed = project.look()
    await ls(listed)
    expect(listed.out.find((line) => line.startsWith('gemini-talk1'))).toMatch(/imported +1 +not checked /)
    expect(listed.out.find((line) => line.startsWith(CODEX))).toMatch(/imported +10 +1 → 0 /)
    const shown = project.look()
    await show(shown, CODEX, {})
    const rows = shown.out.filter((line) => /^ +\d+ {2}/.test(line)).map((line) => line.trim().split(/ {2,}/).slice(0, 3))
    expect(rows).toEqual([
      unchecked(1),
      ['2', 'failed', '? → 1'],
      unchecked(3),
      ['4', 'failed', '1 → 1'],
      unchecked(5),
      unchecked(6),
      ['7', 'failed', '1 → 1'],
      unchecked(8),
      ['9', 'passed', '1 → 0'],
      unchecked(10),
    ])
    const data = project.look({ json: true })
    await show(data, CODEX, {})
    const { iterations } = data.documents[0] as { iterations: Record<string, unknown>[] }
    expect([iterations[0]?.['isUnchecked'], iterations[0]?.['verdict'], iterations[1]?.['isUnchecked']]).toEqual([
      true,
      undefined,
      undefined,
    ])
    const logged = project.look()
    await log(logged, 'gemini-talk1', {})
    expect(logged.out.join('\n')).toContain('iteration 1: not checked')
  })

  it('BACK-51 sessions without a report are left out of a backtest, with a count and why', async () => {
    const talk = [
      { sessionId: 'talk-1', kind: 'main' },
      { id: '1', timestamp: '2026-11-16T06:00:00.000Z', type: 'user', content: 'Explain it.' },
      { id: '2', timestamp: '2026-11-16T06:00:01.000Z', type: 'gemini', content: 'It adds.' },
    ]
    const path = join(project.root, 'session-talk.jsonl')
    writeFileSync(path, talk.map((line) => JSON.stringify(line)).join('\n'))
    await imported('gemini', [path])
    await expect(backtest(project.look(), [project.root], {})).rejects.toThrow(
      'in the sessions that were imported no tests were seen, so nobody knows how they ended',
    )
    await imported('gemini', [fixture('gemini')])
    const tried = project.look({ json: true })
    expect(await backtest(tried, [project.root], {})).toBe(0)
    const { loops, skipped, results } = tried.documents[0] as {
      loops: number
      skipped: unknown
      results: { policy: string; lost: number }[]
    }
    expect([loops, skipped]).toMatchObject([1, { unreported: 1 }])
    expect(results.map(({ policy, lost }) => [policy, lost])).toEqual([
      ['defaults', 0],
      ['all', 0],
    ])
    const told = project.look()
    await backtest(told, [project.root], {})
    expect(told.out).toContain('1 imported session left out: no tests were seen, so nobody knows the end.')
  })

  it('IMPORT-35 the cost that a transcript tells is that of all turns before it, and not only a part', async () => {
    await imported('claude', [fixture('claude')])
    const [table, data] = [project.look(), project.look({ json: true })]
    await ls(table)
    await ls(data)
    expect(table.out[1]).toMatch(/ → 0 +\$0\.006 /)
    const [row] = data.documents[0] as [object]
    expect(row).toMatchObject({ costUsd: 0.006, tokens: 1100 })
    expect(row).not.toHaveProperty('isCostPartial')
  })

  it('IMPORT-37 later figures for turns that were imported already come with the first new one, and the sum is that of the whole', async () => {
    const session = { sessionId: 'abcdef-grown', timestamp: '2026-11-16T06:10:55.342Z' }
    const person = { ...session, type: 'user', message: { content: 'Do it.' } }
    const reply = (id: string, text: string) => {
      const content = text === '' ? [] : [{ type: 'text', text }]
      return { ...session, type: 'assistant', message: { id, model: 'm', content, usage: { output_tokens: 10 } } }
    }
    const cost = (totalCostUSD: number) => ({ ...session, type: 'cost-state', totalCostUSD })
    const file = join(project.root, 'grown.jsonl')
    const write = (lines: readonly object[]) => writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const lines = [person, reply('r1', 'One.'), reply('r2', 'Two.')]
    write(lines)
    expect((await imported('claude', [file])).files).toMatchObject([{ status: 'imported', turns: 2, tokens: 20 }])
    const more = [...lines, reply('e1', ''), cost(0.5), reply('r3', 'Three.'), cost(0.9)]
    write(more)
    expect((await imported('claude', [file])).files).toMatchObject([
      { status: 'grown', turnsAdded: 1, turns: 3, tokens: 20, costUsd: 0.9 },
    ])
    write([...more, reply('r4', 'Four.'), cost(1)])
    expect((await imported('claude', [file])).files).toMatchObject([{ status: 'grown', turnsAdded: 1, tokens: 10 }])
    const data = project.look({ json: true })
    await ls(data)
    const [row] = data.documents[0] as [object]
    expect(row).toMatchObject({ costUsd: 1, tokens: 50 })
    expect(row).not.toHaveProperty('isCostPartial')
  })

  it('IMPORT-33 a session that Pawl drove itself, or that a run is bound to, is left out and counted, unless it is asked for', async () => {
    await project.seed({ run: 'mine', failing: [3, 0], session: '01a1e2fa-a434-7623-b274-fe98eb9e830e' })
    const before = await eventsOf('mine')
    const look = project.look()
    expect(await importRuns(look, 'codex', [fixture('codex')], {})).toBe(0)
    expect(look.out).toEqual([
      '0 sessions imported, 1 left out.',
      'Pawl drove one of these sessions itself (mine): it would count twice. With --driven it would be taken all the same.',
    ])
    expect((await imported('codex', [fixture('codex')])).files).toMatchObject([{ status: 'driven', run: 'mine', turnsAdded: 0 }])
    expect(await eventsOf('mine')).toEqual(before)
    const store = sqliteStore({ path: project.storePath })
    const claimed = await store.claim('mine', machineProcesses.self())
    if (claimed.status !== 'claimed') throw new Error('mine is held')
    const data = { agent: 'claude', session: '6720d54c-0268-4925-a737-98d72cd48dd9' }
    const bound = { type: 'run.bound', at: Date.now(), by: { role: 'runner' }, data } as const
    await store.append('mine', [bound], { claim: claimed.claim, expectedSeq: before.length })
    await store.close()
    expect((await imported('claude', [fixture('claude')])).files).toMatchObject([{ status: 'driven', run: 'mine' }])
    expect((await imported('gemini', [fixture('gemini')])).files).toMatchObject([{ status: 'imported' }])
    expect((await imported('codex', [fixture('codex')], { driven: true })).files).toMatchObject([
      { status: 'imported', run: CODEX },
    ])
  })

  it.each(['claude', 'codex', 'gemini'])(
    'IMPORT-21 no planted secret of any kind gets from a transcript of %s into the store',
    async (name) => {
      const secrets = plantedSecrets()
      const leak = JSON.stringify(secrets.map(({ text }) => text).join('\n')).slice(1, -1)
      const leaky = readFileSync(fixture(name), 'utf8')
        .replaceAll('"I look at it."', `"I look at it.\\n${leak}"`)
        .replaceAll('"Make add add."', `"Make add add.\\n${leak}"`)
        .replaceAll('TAP version 13', `${leak}\\nTAP version 13`)
        .replaceAll('"old_string":"a * b"', `"old_string":"${leak}"`)
      const path = join(project.root, `session-${name}.jsonl`)
      writeFileSync(path, leaky)
      const { code, files } = await imported(name, [path])
      expect([code, files]).toMatchObject([0, [{ turns: 10 }]])
      expect(secrets.length).toBeGreaterThanOrEqual(10)
      const folder = join(project.root, '.pawl')
      const kept = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
      const written = kept.map(({ parentPath, name: file }) => readFileSync(join(parentPath, file), 'latin1')).join('')
      expect(secrets.filter(({ secret }) => written.includes(secret)).map((each) => each.name)).toEqual([])
    },
  )
})
