import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeProject, type Project } from './project.ts'

/**
 * Says in Claude Code's words what a call cost: $0.25 and 100 tokens each, of this call or of all so far. The second call hangs until
 * nobody waits for it any more; it counts in what comes after it if calls add up.
 */
const AGENT = `#!/bin/sh
cat >/dev/null
echo "$*" >>"$NOTES/arguments"
count=$(wc -l <"$NOTES/arguments")
echo '{"type":"system","subtype":"init","session_id":"s-1","model":"big-one"}'
if [ "$count" -eq 2 ]; then echo hangs >"$NOTES/hangs"; exec sleep 60; fi
calls=1
[ "$FORM" = sum ] && calls=$count
echo "$count" >>a.txt
cost=$(awk "BEGIN { print $calls * 0.25 }")
echo '{"type":"result","subtype":"success","is_error":false,"session_id":"s-1","result":"Done.","total_cost_usd":'$cost',"usage":{"input_tokens":90,"output_tokens":10},"modelUsage":{"big-one":{"inputTokens":'$((calls * 90))',"outputTokens":'$((calls * 10))'}}}'
`

test.each([
  // The next call reports the killed call's cost if the agent adds it up; otherwise nobody does.
  ['sum', [0.25, 0.5, 0.25], [100, 200, 100], 1, ' · $1.00'],
  ['call', [0.25, 0.25, 0.25], [100, 100, 100], 0.75, ' · at least $0.75'],
])(
  'DRIVE-46 the cost of a session that continues is right after a kill -9 of Pawl, where the agent counts by the %s',
  async (form, costs, tokens, total, said) => {
    const project = await makeProject({ onTestFinished }, { isGit: false })
    const program = join(project.home, 'claude')
    await writeFile(program, AGENT.replaceAll('$NOTES', project.notes).replaceAll('$FORM', form))
    await chmod(program, 0o755)
    await project.write('pawl.yaml', `agents:\n  claude: { program: ${program}, session: continue }\n`)
    const runner = project.start([
      'task',
      'four lines',
      '--id',
      'cost',
      '--agent',
      'claude',
      '--check',
      'test "$(wc -l <a.txt)" -eq 4',
    ])
    await project.noted('hangs')
    runner.signal('SIGKILL')
    await runner.finished
    expect(await project.pawl('resume', 'cost')).toMatchObject({ code: 0, stdout: expect.stringContaining(said) })
    const finished = await project.of('cost', 'work.finished')
    expect(finished.map(({ data }) => data.costUsd)).toEqual(costs)
    expect(finished.map(({ data }) => data.tokens)).toEqual(tokens)
    const ended = await project.of('cost', 'iteration.ended')
    expect(ended.reduce((sum, { data }) => sum + data.costUsd, 0)).toBe(total)
    expect((await project.noted('arguments')).match(/--resume s-1/g)).toHaveLength(3)
  },
)

/**
 * The same, but every call uses 100 tokens of which it tells 60 while it works. The second call hangs after those: that is all it uses,
 * $0.15 of it.
 */
const CUT_AGENT = AGENT.replace(
  'if [ "$count" -eq 2 ]',
  `echo '{"type":"assistant","session_id":"s-1","message":{"id":"m-'$count'","model":"big-one","content":[],"usage":{"input_tokens":50,"output_tokens":10}}}'
if [ "$count" -eq 2 ]`,
)
  .replace('calls=1\n', 'tokens=100\n')
  .replace('calls=$count', 'tokens=$((count * 100 - (count > 1 ? 40 : 0)))')
  .replace('$calls * 0.25', '$tokens * 0.0025')
  .replace(`'$((calls * 90))'`, `'$((tokens - 10))'`)
  .replace(`'$((calls * 10))'`, '10')

// Every way to be cut off with either form: test/session-count.test.ts.
test.each([['sum', 0.9, undefined]] as const)(
  'DRIVE-52 work that a time limit cut off in a session that continues is counted once, where the agent counts by the %s',
  async (form, costUsd, isPartial) => {
    const { project, words } = await cutProject(form)
    expect(await project.pawl(...words, '--timeout', '6s')).toMatchObject({ code: 0 })
    const [failed] = await project.of('cut', 'work.failed')
    expect(failed?.data).toMatchObject({ reason: 'timed-out', tokens: 60, session: 's-1' })
    expect(await totalsOf(project)).toMatchObject({ costUsd, ...usedIn(await callsOf(project)) })
    const { isCostPartial: ofCost, areTokensPartial: ofTokens } = await totalsOf(project)
    expect([ofCost, ofTokens]).toEqual([isPartial, isPartial])
  },
)

test.each([['call', 0.75, true]] as const)(
  'DRIVE-52 work that Ctrl-C cut off in a session that continues is counted once, where the agent counts by the %s',
  async (form, costUsd, isPartial) => {
    const { project, words } = await cutProject(form)
    const runner = project.start(words)
    await project.noted('hangs')
    runner.signal('SIGINT')
    expect(await project.over(runner)).toMatchObject({
      code: 130,
      stdout: expect.stringContaining('at least $0.25 · at least 160 tokens'),
    })
    const [abandoned] = await project.of('cut', 'work.abandoned')
    expect(abandoned?.data).toEqual({ key: '2/coder/0', reason: 'interrupted', tokens: 60, isUsagePartial: true, session: 's-1' })
    expect(abandoned?.by).toEqual({ role: 'agent', name: 'claude', model: 'big-one' })
    expect(await totalsOf(project)).toMatchObject({ costUsd: 0.25, isCostPartial: true, tokens: 160, areTokensPartial: true })
    expect(await project.pawl('resume', 'cut')).toMatchObject({ code: 0 })
    expect(await totalsOf(project)).toMatchObject({ costUsd, ...usedIn(await callsOf(project)) })
    const { isCostPartial: ofCost, areTokensPartial: ofTokens } = await totalsOf(project)
    expect([ofCost, ofTokens]).toEqual([isPartial, isPartial])
  },
)

async function cutProject(form: string) {
  const project = await makeProject({ onTestFinished }, { isGit: false })
  const program = join(project.home, 'claude')
  await writeFile(program, CUT_AGENT.replaceAll('$NOTES', project.notes).replaceAll('$FORM', form))
  await chmod(program, 0o755)
  await project.write('pawl.yaml', `agents:\n  claude: { program: ${program}, session: continue }\n`)
  const check = 'test "$(wc -l <a.txt)" -eq 4'
  const words = ['task', 'four lines', '--id', 'cut', '--agent', 'claude', '--check', check, '--max-iterations', '5']
  return { project, words }
}

/** Every call but the first has to continue in its session. */
async function callsOf(project: Project): Promise<number> {
  const [, ...calls] = (await project.noted('arguments')).trimEnd().split('\n')
  expect(calls.every((call) => call.includes('--resume s-1'))).toBe(true)
  return calls.length + 1
}

function usedIn(calls: number) {
  return { tokens: (calls - 1) * 100 + 60 }
}

async function totalsOf(project: Project): Promise<Record<string, unknown>> {
  const { stdout } = await project.pawl('show', 'cut', '--json')
  return (JSON.parse(stdout) as { totals: Record<string, unknown> }).totals
}
