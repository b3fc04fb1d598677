import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import { runReport } from '../../../present/run-report.ts'
import type { RunView } from '../../../present/run-view.ts'
import { abort } from './abort.ts'
import { log } from './log.ts'
import { show } from './show.ts'
import { task } from './task.ts'

let project: TestProject
beforeEach(() => {
  project = testProject({ isGit: false })
})
afterEach(() => project.remove())

function program(name: string, script: string): void {
  writeFileSync(join(project.root, name), `#!/bin/sh\ncat > /dev/null\n${script}\n`)
  chmodSync(join(project.root, name), 0o755)
}

async function shown(run: string) {
  const [text, data] = [project.look({ columns: 80 }), project.look({ json: true })]
  await show(text, run, {})
  await show(data, run, {})
  return { lines: text.out, view: data.documents[0] as RunView }
}

const LIMIT = `You have hit the limit of your plan, which is a long story that has to be told at some length before it comes to the end, resets at 15:40.`

async function geminiCard(id: string, settings: string): Promise<string> {
  writeFileSync(
    join(project.root, 'pawl.yaml'),
    `agent: gemini\nagents:\n  gemini: { program: ./silent${settings} }\nchecks: [{ name: t, command: "grep -q done work.txt" }]\n`,
  )
  const context = project.look()
  await task(context, { id, ask: false, timeout: '1s', maxIterations: '1' }, ['work.txt says done'])
  return context.out.join(' ').replaceAll(/\s+/g, ' ')
}

describe('who worked', () => {
  it('FALL-18 after a switch, is shown for each iteration and in a list, with the end of the switch', async () => {
    program(
      'first',
      `[ "$PAWL_ITERATION" = 1 ] && { echo half > work.txt; exit 0; }
echo '{"type":"result","is_error":true,"result":"${LIMIT}","api_error_status":429}'; exit 1`,
    )
    program('second', '[ "$PAWL_ITERATION" = 2 ] && echo more > work.txt || echo done > work.txt')
    writeFileSync(
      join(project.root, 'pawl.yaml'),
      'agent: first\nfallback: [second]\non_limit: switch\nagents:\n  first: { command: ./first }\n  second: { command: ./second }\nchecks: [{ name: t, command: "grep -q done work.txt" }]\n',
    )
    const context = project.look({ columns: 80 })
    expect(await task(context, { id: 'r', ask: false }, ['work.txt says done'])).toBe(0)
    const { lines, view } = await shown('r')
    expect(view.workers).toMatchObject([
      { agent: 'first', since: 1, iterations: 2 },
      { agent: 'second', since: 2, iterations: 2 },
    ])
    expect(view.standIns).toEqual([{ agent: 'first', by: 'second', until: expect.any(Number) }])
    expect(view.iterations.map(({ workers = [] }) => workers.map(({ agent }) => agent))).toEqual([
      ['first'],
      ['first', 'second'],
      ['second'],
    ])
    expect(view.iterations[1]?.said, 'the limit is not what the second said').toBeUndefined()
    expect(lines).toContain('Worked      first, then second since iteration 2')
    expect(lines.find((line) => line.startsWith('Fallback'))).toMatch(/^Fallback {4}second for first until \d{4}-\d\d-\d\d \d\d:/)
    expect(lines.filter((line) => /^ +\*?[123] {2}/.test(line)).map((line) => line.split(/ {2,}/)[2])).toEqual([
      'first',
      'first, second',
      'second',
    ])
    const switched =
      /another agent: second continues for first: .*… first is tried again from \d{4}-\d\d-\d\d \d\d:\d\d:\d\d on\.$/
    expect(context.out.find((line) => line.includes('another agent'))).toMatch(switched)
    const logged = project.look({ columns: 400 })
    await log(logged, 'r', { type: 'agent.switched' })
    expect(logged.out.join('\n')).toMatch(/first is tried again from \d{4}/)
  })

  it('CLI-410 an agent that worked only in an iteration that another one ended is named too', async () => {
    program(
      'first',
      `echo '{"costUsd":0.00505,"tokens":700}' > "$PAWL_REPORT_FILE"
echo '{"type":"result","is_error":true,"result":"${LIMIT}","api_error_status":429}'; exit 1`,
    )
    program('second', `echo '{"tokens":900}' > "$PAWL_REPORT_FILE"; echo done > work.txt`)
    writeFileSync(
      join(project.root, 'pawl.yaml'),
      'agent: first\nfallback: [second]\non_limit: switch\nagents:\n  first: { command: ./first }\n  second: { command: ./second }\nchecks: [{ name: t, command: "grep -q done work.txt" }]\n',
    )
    expect(await task(project.look(), { id: 'r', ask: false }, ['work.txt says done'])).toBe(0)
    const { lines, view } = await shown('r')
    expect(lines).toContain('Worked      first, then second')
    expect(view.workers.map(({ agent, since }) => [agent, since])).toEqual([
      ['first', 1],
      ['second', 1],
    ])
    const head = lines.indexOf('Iterations') + 1
    expect(lines[head], 'CLI-409').toMatch(/agent .* cost +tokens$/)
    expect(lines[head + 1]).toMatch(/first, second .* ≥ \$0\.00505 +1,600$/)
  })

  it('CLI-405 agent, model and session are in the header, in the outcome document and on the page of `show`', async () => {
    program(
      'claude',
      `echo more >> work.txt
echo '{"type":"system","subtype":"init","session_id":"s-1","model":"big-one-5"}'
echo '{"type":"result","subtype":"success","is_error":false,"session_id":"s-1","result":"Done.","total_cost_usd":0.25}'`,
    )
    writeFileSync(join(project.root, 'pawl.yaml'), 'agents:\n  claude: { program: ./claude, model: big-one }\n')
    const flags = { agent: 'claude', check: ['grep -c more work.txt | grep -q 2'], ask: false }
    const [text, kept, fresh] = [project.look(), project.look({ json: true }), project.look({ json: true })]
    expect(await task(text, { ...flags, id: 'text', session: 'continue' }, ['two lines'])).toBe(0)
    expect(text.out.slice(0, 2).join('')).toContain('claude (model big-one, session continue) ·')
    await task(kept, { ...flags, check: ['false'], maxIterations: '1', id: 'kept', session: 'continue' }, ['two lines'])
    const told = { agent: 'claude', model: 'big-one-5', session: 's-1' }
    expect(kept.documents[0]).toMatchObject({ ...told, sessionMode: 'continue' })
    await task(fresh, { ...flags, check: ['false'], maxIterations: '1', id: 'fresh' }, ['two lines'])
    expect(fresh.documents[0]).toMatchObject({ ...told, sessionMode: 'fresh' })
    const { lines, view } = await shown('text')
    expect(lines).toContain('Agent       claude (model big-one, session continue)')
    expect(view.config).toMatchObject({ model: 'big-one', sessionMode: 'continue' })
    expect((await shown('fresh')).lines).toContain('Agent       claude (model big-one)')
  })

  it('CLI-405 an agent without sessions has no way to begin them; if nobody has worked, the agent is the one that is to', async () => {
    const missing = project.look({ json: true })
    const flags = { agentCommand: './no-such-program-at-all', check: ['false'], ask: false, id: 'missing' }
    await task(missing, flags, ['work'])
    expect(missing.documents[0]).toMatchObject({ agent: 'no-such-program-at-all' })
    expect(missing.documents[0]).not.toHaveProperty('sessionMode')
    expect(missing.documents[0]).not.toHaveProperty('model')
  })

  it('CLI-405 who only puts the question into words is not the one that worked, in the outcome document and on the page', async () => {
    program(
      'claude',
      `echo more >> work.txt
echo '{"type":"system","subtype":"init","session_id":"s-1","model":"big-one-5"}'
echo '{"type":"result","subtype":"success","is_error":false,"session_id":"s-1","result":"Done.","total_cost_usd":0.25}'`,
    )
    program('asker', `echo '{"question":"What now?"}'`)
    writeFileSync(
      join(project.root, 'pawl.yaml'),
      'questioner: asker\nagents:\n  claude: { program: ./claude }\n  asker: { command: ./asker }\n',
    )
    const context = project.look({ json: true })
    await task(context, { agent: 'claude', check: ['false'], maxIterations: '1', ask: false, id: 'r' }, ['two lines'])
    const [outcome] = context.documents as readonly { readonly question?: { readonly text: string } }[]
    expect(outcome).toMatchObject({
      status: 'escalated',
      agent: 'claude',
      model: 'big-one-5',
      session: 's-1',
      sessionMode: 'fresh',
    })
    expect(outcome?.question?.text, 'it was asked').toBe('What now?')
    const { lines, view } = await shown('r')
    expect(view.workers).toMatchObject([{ agent: 'claude', session: 's-1', iterations: 1 }])
    expect(lines.join('\n')).toMatch(/^Model +big-one-5\nSession +s-1 of claude$/m)
    expect(lines.join('\n')).not.toMatch(/^Worked/m)
  })

  it('CLI-233 a reviewer that wrote although it was only to look is named on the card, with the way to get it back', async () => {
    program('worker', 'echo done >> work.txt')
    program(
      'looker',
      `echo spoilt > work.txt; printf '{"verdict":"reject","summary":"No.","findings":[{"message":"Not good."}]}'`,
    )
    writeFileSync(
      join(project.root, 'pawl.yaml'),
      'agent: worker\nreviewer: looker\nagents:\n  worker: { command: ./worker }\n  looker: { command: ./looker }\nchecks: [{ name: t, command: "grep -q done work.txt" }]\n',
    )
    const context = project.look({ columns: 80 })
    expect(await task(context, { id: 'r', ask: false, maxIterations: '2' }, ['work.txt says done'])).toBe(3)
    const card = context.out.slice(context.out.findIndex((line) => line.startsWith('■ r ')))
    const place = card.findIndex((line) => line.startsWith('  Undone'))
    expect(card.slice(place, place + 3)).toEqual([
      '  Undone   the reviewer changed files 2 times, although only asked to look. Get',
      '           them back:',
      '           pawl restore r saved-2',
    ])
    const { lines, view } = await shown('r')
    expect(view.saved.map(({ by }) => by)).toEqual(['reviewer', 'reviewer'])
    expect(
      lines.filter((line) =>
        line.includes('what the reviewer changed, 1 file (work.txt): get it back with pawl restore r saved-'),
      ),
    ).toHaveLength(2)
  })

  it('CLI-401 who continues when an agent cannot is named from the start, in the log, by show and in the report', async () => {
    program('first', 'echo done > work.txt')
    writeFileSync(
      join(project.root, 'pawl.yaml'),
      'agent: first\nfallback: [second, third]\nagents:\n  first: { command: ./first }\n  second: { command: ./first }\n  third: { command: ./first }\nchecks: [{ name: t, command: "grep -q done work.txt" }]\n',
    )
    const started = project.look()
    expect(await task(started, { id: 'r', ask: false }, ['work.txt says done'])).toBe(0)
    expect(started.out.slice(0, 2).join('')).toContain('first, then second, third · ')
    const told = project.look({ columns: 400 })
    await log(told, 'r', {})
    expect(told.out[0]).toMatch(/agent first: \.\/first, then second: \.\/first, third: \.\/first, checks/)
    const { lines, view } = await shown('r')
    expect(lines).toContain('Fallback    second: ./first, third: ./first')
    expect(runReport(view)).toContain('- Agent: `first: ./first`\n- Fallback: `second: ./first`\n- Fallback: `third: ./first`\n')
  })

  it.each([
    ['$0.50', '{"costUsd":0.5,"tokens":1200}'],
    ['1,200 tokens', '{"tokens":1200}'],
  ])('CLI-336 the success line of a run shows the cost, else the tokens: %s', async (words, report) => {
    program('worker', `echo '${report}' > "$PAWL_REPORT_FILE"; echo done > work.txt`)
    const context = project.look()
    const flags = { agentCommand: './worker', check: ['grep -q done work.txt'], ask: false }
    expect(await task(context, { ...flags, id: 'r' }, ['work.txt says done'])).toBe(0)
    const last = context.out.findIndex((line) => line.startsWith('✓ '))
    expect(context.out[last]?.replace(/· [\d.]+m?s ·/, '· … ·')).toBe(`✓ All checks passed · 1 iteration · … · ${words}`)
    expect(context.out.slice(last).join(' ')).toContain('Proof   "grep -q done work.txt" failed before and passes now')
  })

  it('CLI-400 where Gemini CLI without a model said nothing until its time limit, the card says to name one', async () => {
    program('silent', `echo '{"type":"init","session_id":"s","model":"auto"}'; sleep 60`)
    const without = await geminiCard('without', '')
    expect(without).toContain('It said nothing.')
    expect(without).toContain('gemini has no model: then it asks a classifier first')
    expect(without).toContain('pawl resume without --model gemini-2.5-pro')
    expect(await geminiCard('with', ', model: gemini-2.5-pro')).not.toContain('has no model')
    await abort(project.look(), {}, 'without')
    expect((await shown('without')).lines.join(' '), 'a run that is over').not.toContain('has no model')
  })
})
