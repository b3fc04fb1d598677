import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeProject } from './project.ts'

/**
 * Says in Claude Code's words what a call cost: $0.25 and 100 tokens each, of this call or of all so far. The second call hangs until
 * whoever waits for it is gone; it counts in what comes after it where calls add up.
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
  // What the killed call cost is told with the next one where the agent adds it up, and by nobody where it does not.
  ['sum', [0.25, 0.5, 0.25], [100, 200, 100], 1],
  ['call', [0.25, 0.25, 0.25], [100, 100, 100], 0.75],
])(
  'DRIVE-46 the cost of a session that goes on is right after a kill -9 of Pawl, where the agent counts by the %s',
  async (form, costs, tokens, total) => {
    const project = await makeProject({ onTestFinished })
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
    expect(await project.pawl('resume', 'cost')).toMatchObject({ code: 0 })
    const finished = await project.of('cost', 'work.finished')
    expect(finished.map(({ data }) => data.costUsd)).toEqual(costs)
    expect(finished.map(({ data }) => data.tokens)).toEqual(tokens)
    const ended = await project.of('cost', 'iteration.ended')
    expect(ended.reduce((sum, { data }) => sum + data.costUsd, 0)).toBe(total)
    expect((await project.noted('arguments')).match(/--resume s-1/g)).toHaveLength(3)
  },
)
