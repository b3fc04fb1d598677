import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { budget, maxIterations } from '../../../guards/index.ts'
import { commandCheck } from '../../../checks/command-check.ts'
import { sqliteStore } from '../../../stores/sqlite-store.ts'
import { folderWorkspace } from '../../../workspaces/folder-workspace.ts'
import { taskLoop } from '../../../loops/task/index.ts'
import { testProject } from '../../../../test/support/cli-project.ts'
import { sessionProject } from '../../../../test/support/session-project.ts'
import { createLoop } from '../../library/create-loop.ts'
import { abort } from './abort.ts'
import { collectingContext } from '../../../../test/support/collecting-context.ts'
import { ralph } from './ralph.ts'
import { resume } from './resume.ts'
import { show } from './show.ts'
import { task, type TaskFlags } from './task.ts'

/** What `pawl task` leaves on the screen and `pawl show` prints, where the agent reports so in iterations 1 and 2. */
async function told(reports: readonly [string, string], limits: TaskFlags): Promise<readonly [card: string, shown: string]> {
  const project = testProject({ isGit: false })
  onTestFinished(() => project.remove())
  const script = `cat > /dev/null; echo "line $PAWL_ITERATION" >> work.txt; [ "$PAWL_ITERATION" = 1 ] && echo '${reports[0]}' > "$PAWL_REPORT_FILE" || echo '${reports[1]}' > "$PAWL_REPORT_FILE"`
  const agentCommand = `sh -c "${script.replaceAll(/["$]/g, String.raw`\$&`)}"`
  const driven = project.look()
  await task(driven, { agentCommand, check: ['false'], maxIterations: '2', ask: false, id: 'blind', ...limits }, ['two lines'])
  const shown = project.look()
  await show(shown, 'blind')
  return [flat(driven.out), flat(shown.out)]
}

function flat(lines: readonly string[]): string {
  return lines.join('\n').replaceAll(/\s+/g, ' ')
}

test('CLI-406 where a limit of money is set, the card and show say which work it did not see, and what would see it', async () => {
  const [card, shown] = await told(['{"tokens":500,"costUsd":0.12}', '{"tokens":700}'], { budgetUsd: '1' })
  for (const text of [card, shown]) {
    expect(text).toContain('The cost of one piece of work is not known: at least $0.12 of the cost budget of $1.00 is used.')
    expect(text).toContain('pawl resume blind --budget-tokens COUNT --budget-time 40m')
  }
})

test('CLI-406 even if no cost is known at all; if tokens or time are limited too there is nothing to suggest', async () => {
  const silent = ['{"tokens":500}', '{"tokens":700}'] as const
  const [card] = await told(silent, { budgetUsd: '1', budgetTokens: '5000' })
  expect(card).toContain('The cost of 2 pieces of work is not known: the cost budget of $1.00 does not see it.')
  expect(card).not.toContain('--budget-tokens')
  const [unlimited] = await told(silent, {})
  expect(unlimited).not.toContain('not known')
})

test('CLI-406 a limit of tokens says the same, and neither suggests tokens if they are not all known', async () => {
  const [card, shown] = await told(['{"tokens":500,"costUsd":0.12}', '{"costUsd":0.1}'], { budgetTokens: '2000' })
  for (const text of [card, shown]) {
    expect(text).toContain(
      'The tokens of one piece of work are not all known: at least 500 of the budget of 2,000 tokens are used.',
    )
    expect(text).toContain('Time is always seen: pawl resume blind --budget-time 40m')
    expect(text).toContain('at least 500 tokens')
  }
  const [both] = await told(['{"tokens":500}', '{"costUsd":0.1}'], { budgetUsd: '1', budgetTokens: '2000' })
  expect(both).toContain('at least $0.10 of the cost budget of $1.00 is used. The tokens of one piece')
  expect(both).not.toContain('--budget-tokens')
  const [timed] = await told(['{"tokens":500}', '{"costUsd":0.1}'], { budgetUsd: '1', budgetTime: '1h' })
  expect(timed).not.toContain('pawl resume blind --budget')
})

test('CLI-406 every limit names an agent that reports nothing it could count', async () => {
  const [card, shown] = await told(['{}', '{}'], { budgetUsd: '1', budgetTokens: '2000' })
  for (const text of [card, shown]) {
    expect(text).toContain('The agent sh tells no cost: the cost budget of $1.00 does not see its work.')
    expect(text).toContain('tells no tokens: the budget of 2,000 tokens does not see its work. Time is always seen:')
  }
  const [unlimited] = await told(['{}', '{}'], { budgetTime: '1h' })
  expect(unlimited).not.toContain('does not see')
  const [once] = await told(['{}', '{"tokens":5,"costUsd":0.1}'], { budgetUsd: '1' })
  expect(once).not.toContain('does not see')
})

test('CLI-406 a limit that is reached says it by itself', async () => {
  const [card] = await told(['{"tokens":500}', '{"tokens":500,"costUsd":1}'], { budgetUsd: '1' })
  expect(card).toContain('The cost budget is used up: at least $1.00 of $1.00; the cost of one piece of work is not known.')
  expect(card.match(/is not known/g)).toHaveLength(1)
})

test('CLI-406 suggests no way out if there is none: on a run that was aborted, or that only its program continues', async () => {
  const project = testProject({ isGit: false })
  onTestFinished(() => project.remove())
  const store = sqliteStore({ path: project.storePath })
  onTestFinished(() => store.close())
  const loop = createLoop({
    loop: taskLoop({ goal: 'x' }),
    guards: [maxIterations(1), budget({ costUsdMax: 1 })],
    agent: {
      spec: { name: 'custom', v: 1, settings: {} },
      work: async (_request, context) => (await context.started(), { status: 'finished', tokens: 5 }),
    },
    checks: [commandCheck({ name: 'never', command: ['false'] })],
    workspace: folderWorkspace({ path: project.root }),
    store,
  })
  await loop.run('own')
  const flags = { agentCommand: 'true', check: ['false'], maxIterations: '1', ask: false, id: 'over', budgetUsd: '1' }
  await task(project.look(), flags, ['x'])
  await abort(project.look(), {}, 'over')
  for (const run of ['own', 'over']) {
    const shown = project.look()
    await show(shown, run)
    expect(flat(shown.out)).toContain('the cost budget of $1.00 does not see')
    expect(flat(shown.out)).not.toMatch(/pawl resume \S+ --budget/)
  }
})

test('CLI-406 on a run that belongs to a session the way out works: the limit is changed and nobody is started', async () => {
  const project = sessionProject()
  onTestFinished(() => project.remove())
  vi.stubEnv('CLAUDE_CODE_SESSION_ID', 's-1')
  onTestFinished(() => void vi.unstubAllEnvs())
  const look = () => collectingContext(project.root, false)
  const flags = { agentCommand: 'touch started', check: ['false'], id: 'r', maxIterations: '2', budgetUsd: '1' }
  await ralph(look(), { ...flags, prompt: 'x', bind: true })
  vi.stubEnv('CLAUDE_CODE_SESSION_ID', '')
  await project.call('claude', { hook_event_name: 'Stop' })
  const [before, after] = [look(), look()]
  await show(before, 'r')
  expect(flat(before.said)).toContain('Time is always seen: pawl resume r --budget-time 40m')
  expect(await resume(look(), { budgetTime: '40m' }, 'r')).toBe(0)
  await show(after, 'r')
  expect(flat(after.said)).toContain('budget(costUsdMax $1.00, durationMsMax 40 min')
  expect(flat(after.said)).not.toContain('--budget-time')
  expect(existsSync(join(project.root, 'started'))).toBe(false)
})
