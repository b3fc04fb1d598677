import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ReplayableLoop } from '../../../evidence/backtest/recorded-loop.ts'
import { testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import { givenLoop } from '../../../../test/support/given-loop.ts'
import { loopsFrom, SourceReading } from '../backtest/loops-from.ts'
import { textWidth } from '../../../present/layout.ts'
import { importRuns } from './import.ts'
import { backtest, type BacktestOptions } from './backtest.ts'
import { type BacktestDocument } from '../../../present/backtest-lines.ts'

let project: TestProject
let recorded: string
let policy: string

const no = { passed: false, error: 'no' }

beforeAll(async () => {
  project = testProject({ isGit: false })
  await project.seed({ run: 'good', failing: [3, 1, 0] })
  await project.seed({ run: 'stuck', failing: [3, 3, 3, 3], answers: [{ choice: 'abort' }] })
  recorded = join(project.root, 'recorded.jsonl')
  const loops = [
    givenLoop([no, no, no, no], { id: 'a' }),
    givenLoop([no, no, no, no], { id: 'same' }),
    givenLoop([no, no, { passed: true }], { id: 'b', outcome: 'solved', solved_at: 3 }),
    givenLoop([no, no], { id: 'c', kind: 'turns' }),
  ]
  const gap = { ...givenLoop([no]), iterations: [{ n: 2 }] }
  writeFileSync(recorded, [...loops, gap].map((loop) => JSON.stringify(loop)).join('\n') + '\n{"half":\n')
  policy = join(project.root, 'twice.yaml')
  writeFileSync(policy, 'name: twice & more\nguards:\n  same_failure: { repeats_min: 2, severity: trip }\n')
})
afterAll(() => project.remove())

async function documentOf(sources: readonly string[], options: BacktestOptions = {}): Promise<BacktestDocument> {
  const look = project.look({ json: true })
  expect(await backtest(look, sources, options)).toBe(0)
  expect(look.documents).toHaveLength(1)
  return look.documents[0] as BacktestDocument
}

async function loopsIn(root: string): Promise<readonly ReplayableLoop[]> {
  const loops: ReplayableLoop[] = []
  for await (const loop of loopsFrom(root, new SourceReading())) loops.push(loop)
  return loops.toSorted((one, other) => one.kind.localeCompare(other.kind) || other.iterations.length - one.iterations.length)
}

describe('pawl backtest', () => {
  it('BACK-30 prints one JSON document: per policy, dataset and kind what is avoided and lost, intervals and counts', async () => {
    const { results, policies, loops } = await documentOf([recorded], { policy: [policy, 'defaults'] })
    expect(loops).toBe(4)
    expect(policies.map(({ name }) => name)).toEqual(['twice & more', 'defaults'])
    expect(results[0]).toMatchObject({
      policy: 'twice & more',
      dataset: 'given',
      kind: 'attempts',
      avoided: 0.5,
      lost: 1,
      avoidedInterval: [0.5, 0.5],
      lostInterval: null,
      counts: { loops: 3, successesLost: 1, iterationsAvoided: 4 },
      guards: [{ guard: 'sameFailure', byIteration: { 2: 3 } }],
    })
    expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['attempts', 'turns']))
  })

  it('BACK-31 a malformed line and a loop with gaps are reported with file and line, skipped and counted', async () => {
    const { skipped } = await documentOf([recorded])
    expect(skipped).toMatchObject({ malformed: 1, gaps: 1, damaged: 0 })
    expect(skipped.problems).toEqual([
      `${recorded}:5: its iterations are not numbered one by one: 2 stands where 1 should`,
      expect.stringMatching(/recorded\.jsonl:6: it is no JSON/) as string,
    ])
    const look = project.look({ columns: 100 })
    await backtest(look, [recorded])
    const text = look.out.join('\n')
    expect(text).toContain('1 line skipped that could not be read as a loop.')
    expect(text).toContain('1 loop refused whose iterations are not numbered one by one.')
  })

  it('BACK-32 prints a table a kind and dataset that fits the screen', async () => {
    const look = project.look({ columns: 100 })
    await backtest(look, [recorded], { policy: [policy] })
    expect(look.out[0]).toBe('attempts, given: 3 loops at 3 tasks, 1 solved, 2 failed')
    expect(look.out[2]).toMatch(/^twice & more +50\.0% +\[50\.0, 50\.0\] +100\.0% +sameFailure 3$/)
    expect(look.out.slice(0, 3).filter((line) => textWidth(line) > 100)).toEqual([])
  })

  it("BACK-33 without a source this project's own runs are tried, and so are those of a named project", async () => {
    const own = await documentOf([])
    expect(own.results[0]).toMatchObject({ dataset: 'pawl task', kind: 'attempts', counts: { loops: 2, solved: 1, failed: 1 } })
    expect((await documentOf([project.root])).results).toEqual(own.results)
    expect((await documentOf([project.storePath])).results).toEqual(own.results)
  })

  it('BACK-34 an empty source, an unknown kind and a missing place are errors that say what to do', async () => {
    const path = (name: string, text: string): string => {
      writeFileSync(join(project.root, name), text)
      return join(project.root, name)
    }
    const look = project.look()
    await expect(backtest(look, [path('empty.jsonl', '\n')])).rejects.toMatchObject({ code: 'recording.empty' })
    await expect(backtest(look, [path('bad.jsonl', '1\n')])).rejects.toThrow(/could be used; first: .*bad\.jsonl:1/)
    const strange = JSON.stringify({ ...givenLoop([no]), kind: 'epochs' })
    await expect(backtest(look, [path('kind.jsonl', strange)])).rejects.toThrow(/kind\.jsonl:1: the kind "epochs" isn't one of/)
    await expect(backtest(look, [join(project.root, 'nowhere')])).rejects.toMatchObject({ code: 'recording.missing' })
    await expect(backtest(look, [recorded], { policy: ['nowhere.yaml'] })).rejects.toMatchObject({ code: 'usage.no-policy' })
    await expect(backtest(look, [recorded], { policy: [policy, policy] })).rejects.toMatchObject({ code: 'usage.policy-twice' })
    const many = path('many.jsonl', `${JSON.stringify(givenLoop([no]))}\n${'1\n'.repeat(30)}`)
    await expect(backtest(look, [many, path('last.jsonl', '1\n')])).rejects.toThrow(/could be used; first: .*last\.jsonl:1/)
    const empty = testProject({ isGit: false })
    await expect(backtest(empty.look(), [])).rejects.toThrow(/There are no runs yet in .*: name files of recorded loops/)
    expect(existsSync(join(empty.root, '.pawl'))).toBe(false)
    await empty.remove()
  })

  it('BACK-44 a source that is named twice, also by another name, counts once, and it says so', async () => {
    const alone = await documentOf([recorded])
    const folder = join(project.root, 'twice')
    mkdirSync(folder)
    symlinkSync(recorded, join(folder, 'link.jsonl'))
    const around = `${project.root}/./twice/../recorded.jsonl`
    const twice = await documentOf([recorded, recorded, around, folder])
    expect(twice).toMatchObject({ loops: 4, results: alone.results, skipped: { sourcesRepeated: 3, repeated: 0, malformed: 1 } })
    expect(twice.skipped.problems.slice(2)).toEqual([
      `${recorded} was named before: it counts once`,
      `${around} was named before, as ${recorded}: it counts once`,
      `${join(folder, 'link.jsonl')} was named before, as ${recorded}: it counts once`,
    ])
    const own = await documentOf([project.root, join(project.root, '.pawl'), project.storePath])
    expect(own).toMatchObject({ loops: 2, skipped: { sourcesRepeated: 2 } })
    const look = project.look({ columns: 100 })
    await backtest(look, [recorded, recorded])
    expect(look.out).toContain('1 source left out that had been named before.')
  })

  it('BACK-45 a loop in two files counts once, and so does a run in a copy of its store', async () => {
    const copy = join(project.root, 'copy.jsonl')
    writeFileSync(copy, readFileSync(recorded, 'utf8').split('\n').slice(0, 4).join('\n'))
    const packed = join(project.root, 'copy.jsonl.gz')
    writeFileSync(packed, gzipSync(readFileSync(copy)))
    const { loops, skipped } = await documentOf([copy, packed])
    expect({ loops, skipped }).toMatchObject({ loops: 4, skipped: { repeated: 4, sourcesRepeated: 0 } })
    expect(skipped.problems[0]).toBe(`${packed}:1: the loop "a" of given was read before from ${copy}:1; it counts once`)
    const look = project.look({ columns: 100 })
    await backtest(look, [copy, packed])
    expect(look.out).toContain('4 loops left out that had been read before.')
    // The same name in another dataset, or with another model, is another loop.
    const others = join(project.root, 'others.jsonl')
    const named = [{ dataset: 'd' }, { dataset: 'e' }, { dataset: 'e', model: 'm' }, { dataset: 'e', kind: 'turns' as const }]
    writeFileSync(others, named.map((each) => JSON.stringify(givenLoop([no], { id: 'a', ...each }))).join('\n'))
    expect(await documentOf([others])).toMatchObject({ loops: 4, skipped: { repeated: 0 } })
    const storeCopy = join(project.root, 'copy.db')
    copyFileSync(project.storePath, storeCopy)
    expect(await documentOf([project.storePath, storeCopy])).toMatchObject({ loops: 2, skipped: { repeated: 2 } })
    // Another project's run of the same name is another run.
    const other = testProject({ isGit: false })
    await other.loop({ passesAt: 2 }).run('good')
    expect(await documentOf([project.root, other.root])).toMatchObject({ loops: 3, skipped: { repeated: 0 } })
    await other.remove()
  })

  it.each([
    ['claude', 'Claude Code'],
    ['codex', 'Codex'],
    ['gemini', 'Gemini CLI'],
  ])('BACK-46 a transcript of %s is recognized, with what to do', async (agent, title) => {
    const file = join(import.meta.dirname, '..', '..', '..', 'evidence', 'transcripts', 'fixtures', `${agent}.jsonl`)
    await expect(backtest(project.look(), [file])).rejects.toMatchObject({
      code: 'recording.transcript',
      message: `${file} is a transcript of ${title}, not recorded loops: read it in with \`pawl import ${agent} ${file}\`, then try policies on it with \`pawl backtest .pawl\`.`,
    })
  })

  it('BACK-46 an older transcript that is one document is recognized too; any other file is not', async () => {
    const old = join(project.root, 'session-old.json')
    const at = { timestamp: '2026-11-16T06:00:00.000Z' }
    const messages = [
      { id: 'm', type: 'user', content: 'Explain it.', ...at },
      { id: 'n', type: 'gemini', content: 'It adds.', ...at },
    ]
    writeFileSync(old, JSON.stringify({ sessionId: 's', projectHash: 'p', messages }, null, 2))
    await expect(backtest(project.look(), [old])).rejects.toThrow('is a transcript of Gemini CLI, not recorded loops')
    const other = join(project.root, 'package.json')
    writeFileSync(other, '{ "name": "shop", "type": "module" }\n')
    await expect(backtest(project.look(), [other])).rejects.toMatchObject({ code: 'recording.empty' })
  })

  it('BACK-46 a transcript of an agent whose transcripts cannot be imported is reported as such', async () => {
    const file = join(project.root, 'chat.jsonl')
    const message = { role: 'user', parts: [{ text: 'Make add add.' }] }
    writeFileSync(file, `${JSON.stringify({ uuid: 'u', sessionId: 's', type: 'user', message })}\n`)
    await expect(backtest(project.look(), [file])).rejects.toMatchObject({
      code: 'recording.transcript',
      message: `${file} is a transcript of Qwen Code, not recorded loops, and those cannot be imported.`,
    })
  })

  it('BACK-48 a policy may be a module whose guards are functions of a program, such as the baselines', async () => {
    const all = join(import.meta.dirname, '..', '..', '..', '..', 'bench', 'baselines', 'index.ts')
    const one = join(all, '..', 'seed-guards.ts')
    const { policies, results } = await documentOf([recorded], { policy: [one, 'defaults'] })
    expect(policies[0]).toMatchObject({ name: 'seed guards', guards: ['seed guards'], unexercised: [expect.any(String)] })
    expect(results[0]).toMatchObject({ policy: 'seed guards', kind: 'attempts', avoided: 0.25, lost: 0, counts: { stops: 2 } })
    expect((await documentOf([recorded], { policy: [all] })).policies.length).toBeGreaterThan(20)
  })

  it('BACK-35 writes one page with nothing to load: the frontier as a chart and every table; over a file only when told to', async () => {
    const html = join(project.root, 'report.html')
    await documentOf([recorded], { policy: [policy, 'all'], html })
    const page = readFileSync(html, 'utf8')
    expect(page).toMatch(/^<!doctype html>/)
    expect(page).not.toMatch(/<script|https?:|src=|href="[^#]|@import|url\(/)
    expect(page.match(/<figure>/g)).toHaveLength(1)
    expect(page).toContain('<polyline class="hull"')
    expect([...page.matchAll(/<text class="label"[^>]*>([^<]*)</g)].map(([, words]) => words)).toEqual([
      'twice &amp; more',
      'all',
    ])
    expect(page).toContain('twice &amp; more</td><td>50.0% <small>[50.0, 50.0]</small></td>')
    expect(page).toContain('There is no chart: it takes loops that failed and loops that were solved.')
    expect(page).toContain('sameFailure 3 <small>2: 3</small>')
    await expect(documentOf([recorded], { html })).rejects.toMatchObject({ code: 'usage.file-exists' })
    await documentOf([recorded], { html, force: true })
  })

  it('BACK-55 the page says what was left out, has a legend, and gives the figures of a point by mouse and by keyboard', async () => {
    const html = join(project.root, 'whole.html')
    await documentOf([recorded, recorded], { policy: [policy, 'defaults'], html })
    const page = readFileSync(html, 'utf8')
    expect(page).toContain('1 line skipped that could not be read as a loop.')
    expect(page).toContain(`<li>${recorded}:5: its iterations are not numbered one by one: 2 stands where 1 should</li>`)
    expect(page).toContain(`<li>${recorded} was named before: it counts once</li>`)
    expect(page).toContain('on the frontier: nothing here avoids more at that loss')
    expect(page).toContain('where it lies 95 of 100 times')
    const point = 'twice &amp; more: avoids 50.0% [50.0, 50.0], loses 100.0% [100.0, 100.0]'
    expect(page).toContain(`<g class="point" tabindex="0" role="img" aria-label="${point}"><title>${point}</title>`)
    expect(page).not.toContain('In-sample')
    const clean = join(project.root, 'clean.jsonl')
    writeFileSync(clean, JSON.stringify(givenLoop([no])))
    await documentOf([clean], { html, force: true })
    expect(readFileSync(html, 'utf8')).not.toContain('Left out')
  })

  it('BACK-57 nothing in a source can colour the screen or reach the page unescaped', async () => {
    const coloured = join(project.root, 'coloured.jsonl')
    const loop = givenLoop([no, no], { dataset: '\u001b[31mred\u0007\u202eder', id: '\u001b[2Jid' })
    writeFileSync(coloured, `${JSON.stringify(loop)}\n${JSON.stringify(loop)}\n`)
    const html = join(project.root, 'coloured.html')
    const look = project.look({ columns: 400 })
    expect(await backtest(look, [coloured], { html, force: true })).toBe(0)
    expect(look.out[0]).toMatch(/^attempts, redder: 1 loop at/)
    expect(look.out.join('\n')).toContain('the loop "id" of redder was read before')
    // oxlint-disable-next-line no-control-regex
    const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/
    expect(look.out.join('\n')).not.toMatch(unsafe)
    expect(readFileSync(html, 'utf8')).not.toMatch(unsafe)
    writeFileSync(coloured, JSON.stringify({ ...loop, kind: '\u001b[31mepochs' }))
    await expect(backtest(look, [coloured])).rejects.toThrow(`the kind "epochs" isn't one of`)
  })

  it('BACK-58 loops that continued past their own maximum are used, and counted in one line', async () => {
    const long = join(project.root, 'long.jsonl')
    const loops = [2, 3, 4].map((max) => givenLoop([no, no, no], { id: `max ${max}`, max_iterations: max }))
    writeFileSync(long, loops.map((loop) => JSON.stringify(loop)).join('\n'))
    const html = join(project.root, 'long.html')
    expect(await documentOf([long], { html })).toMatchObject({ loops: 3, beyondMaximum: 1 })
    const words = '1 loop recorded with more iterations than the maximum: replayed to the end.'
    expect(readFileSync(html, 'utf8')).toContain(words)
    const look = project.look({ columns: 100 })
    await backtest(look, [long])
    expect(look.out).toContain(words)
    const other = project.look({ columns: 100 })
    await backtest(other, [recorded])
    expect(other.out.join('\n')).not.toContain('than the maximum')
    expect(await documentOf([recorded])).toMatchObject({ beyondMaximum: 0 })
  })

  it('BACK-49 where a guard may have learned from the very loops, table, page and document say so', async () => {
    const shared = join(project.root, 'public.jsonl')
    writeFileSync(shared, JSON.stringify(givenLoop([no, no], { dataset: 'intercode', kind: 'turns' })))
    const html = join(project.root, 'public.html')
    const { inSample, page } = await documentOf([shared], { html })
    expect(page).toBe(html)
    expect(inSample).toEqual({ policies: ['defaults', 'all'], datasets: ['intercode'] })
    const note =
      'worthContinuing decides. It learned from loops of intercode: where these are the same loops, its figures are in-sample'
    expect(readFileSync(html, 'utf8')).toContain(`In the policies &quot;defaults&quot; and &quot;all&quot; ${note}`)
    const look = project.look({ columns: 400 })
    await backtest(look, [shared])
    expect(look.out.join('\n')).toContain(`In the policies "defaults" and "all" ${note}`)
    expect(await documentOf([shared], { policy: ['defaults'] })).toMatchObject({ inSample: { policies: ['defaults'] } })
    expect(await documentOf([recorded])).toMatchObject({ inSample: null })
  })

  it('BACK-52 --html takes the name of a page or nothing, and no other file', async () => {
    const here = process.cwd()
    process.chdir(project.root)
    try {
      const look = project.look()
      expect(await backtest(look, [recorded], { html: true })).toBe(0)
      expect(look.out.at(-1)).toBe('\nThe page with the charts is pawl-backtest.html.')
      expect(readFileSync(join(project.root, 'pawl-backtest.html'), 'utf8')).toMatch(/^<!doctype html>/)
    } finally {
      process.chdir(here)
    }
    const before = readFileSync(recorded, 'utf8')
    await expect(backtest(project.look(), [], { html: recorded, force: true })).rejects.toMatchObject({
      code: 'usage.page-name',
      message: `--html takes the name of a page that ends in .html, or nothing for pawl-backtest.html, not ${recorded}: if that is a source, name it before --html.`,
    })
    expect(readFileSync(recorded, 'utf8')).toBe(before)
  })

  it('BACK-40 sessions that were imported are loops of the kind turns, solved at the turn from which on their tests passed', async () => {
    const imports = testProject({ isGit: false })
    const folder = join(import.meta.dirname, '..', '..', '..', 'evidence', 'transcripts', 'fixtures')
    const failed = join(imports.root, 'failed.jsonl')
    // The same session, cut before the turn in which its tests passed at last.
    const lines = readFileSync(join(folder, 'codex.jsonl'), 'utf8').split('\n')
    writeFileSync(
      failed,
      lines
        .slice(
          0,
          lines.findIndex((line) => line.includes('"call_9"')),
        )
        .join('\n'),
    )
    await importRuns(imports.look({ json: true }), 'claude', [join(folder, 'claude.jsonl')], {})
    await importRuns(imports.look({ json: true }), 'codex', [failed], {})
    await imports.seed({ run: 'ours', failing: [3, 1, 0] })
    const look = imports.look({ json: true })
    await backtest(look, [imports.root], { policy: ['defaults'] })
    const { results } = look.documents[0] as BacktestDocument
    expect(results.map(({ dataset, kind, counts }) => [dataset, kind, counts.solved, counts.failed])).toEqual([
      ['pawl task', 'attempts', 1, 0],
      ['pawl imported', 'turns', 1, 1],
    ])
    const loops = await loopsIn(imports.root)
    expect(loops.map(({ kind, outcome, solvedAt, iterations }) => [kind, outcome, solvedAt, iterations.length])).toEqual([
      ['attempts', 'solved', 2, 2],
      ['turns', 'solved', 9, 10],
      ['turns', 'failed', undefined, 8],
    ])
    await imports.remove()
  })
})
