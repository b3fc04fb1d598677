import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { objectText } from './lines.ts'
import { inFolder, mapSome, pawl } from './pawl.ts'

/** The names of an agent's events: the end of a turn, and tools that ran. */
const AGENTS: Readonly<Record<string, { readonly stop: string; readonly tools: readonly string[] }>> = {
  claude: { stop: 'Stop', tools: ['PostToolBatch', 'PostToolUse'] },
  codex: { stop: 'Stop', tools: ['PostToolUse'] },
  gemini: { stop: 'AfterAgent', tools: ['AfterTool'] },
  qwen: { stop: 'Stop', tools: ['PostToolUse', 'PostToolUseFailure'] },
}

type Said = Readonly<Record<string, string>>
type Ask = (title: string, input: object | string) => Promise<void>

/** What the hook prints in scripted sessions of each agent, by agent, event and situation. */
export async function hookAnswers(): Promise<Record<string, Said>> {
  const cases = Object.keys(AGENTS).flatMap((agent) => [
    { agent, severity: 'warn', script: keptGoing },
    { agent, severity: 'trip', script: tripped },
  ])
  const said = await mapSome(cases, async ({ agent, severity, script }) =>
    inFolder(async (folder) => {
      const answers: Record<string, string> = {}
      const cwd = join(folder, 'project')
      mkdirSync(cwd)
      writeFileSync(join(cwd, 'pawl.yaml'), `guards: { repeated_action: ${severity}, tampering: off }\n`)
      const flags = ['--check', 'test -f done.txt']
      const bound = await pawl(['ralph', '--prompt', 'Make it', '--id', 'r', '--bind', 's-1', '--agent', agent, ...flags], {
        cwd,
      })
      if (bound.code !== 0) throw new Error(`The run was not bound: ${bound.stderr}${bound.stdout}`)
      await script(agent, cwd, async (title, input) => {
        const text = typeof input === 'string' ? input : JSON.stringify({ cwd, session_id: 's-1', ...input })
        const { code, stdout } = await pawl(['hook', agent], { cwd, input: text })
        const event = typeof input === 'string' ? 'any' : (input as { hook_event_name: string }).hook_event_name
        answers[`${event}, ${title}`] = `exit ${code}: ${stdout.trim() === '' ? 'nothing' : shapeOf(JSON.parse(stdout))}`
      })
      return { agent, answers }
    }),
  )
  const together = Map.groupBy(said, ({ agent }) => agent)
  return Object.fromEntries(
    [...together].map(([agent, parts]) => [agent, Object.assign({}, ...parts.map(({ answers }) => answers))]),
  )
}

/** Sent back to work until the check passes. */
async function keptGoing(agent: string, cwd: string, ask: Ask): Promise<void> {
  const { stop, tools } = AGENTS[agent] as (typeof AGENTS)[string]
  await ask('input that is not JSON', 'x')
  await ask('an event that is none of ours', { hook_event_name: 'SessionStart' })
  await ask('a session without a run', { hook_event_name: stop, session_id: 's-2' })
  for (const event of tools) {
    await ask('an action', action(event, `first ${event}`))
    await ask('the same action again', action(event, `first ${event}`))
    await ask('the same action a third time', action(event, `first ${event}`))
  }
  await ask('the check fails', { hook_event_name: stop, ...words('Done') })
  writeFileSync(join(cwd, 'done.txt'), 'done\n')
  await ask('the promise is missing', { hook_event_name: stop, ...words('Done') })
  await ask('the promise is kept', { hook_event_name: stop, ...words('<promise>COMPLETE</promise>') })
  await ask('the run is over', { hook_event_name: stop, ...words('Bye') })
}

/** Stopped by a guard that looks at single actions. */
async function tripped(agent: string, _cwd: string, ask: Ask): Promise<void> {
  const { stop, tools } = AGENTS[agent] as (typeof AGENTS)[string]
  const [event = ''] = tools
  for (const title of ['an action', 'the same action again', 'a guard trips']) await ask(title, action(event, 'same'))
  await ask('an action after a guard tripped', action(event, 'other'))
  await ask('a guard tripped', { hook_event_name: stop, ...words('Stopped') })
}

function action(event: string, command: string): object {
  const call = { tool_name: 'Bash', tool_input: { command }, tool_response: 'the same' }
  return { hook_event_name: event, turn_id: 't-1', ...(event === 'PostToolBatch' ? { tool_calls: [call] } : call) }
}

function words(text: string): object {
  return { last_assistant_message: text, prompt_response: text }
}

/** Words that the agents' programs read, not people. */
const FIXED = new Set(['decision', 'hookEventName', 'permissionDecision'])

function shapeOf(value: unknown, key = ''): string {
  if (typeof value === 'string') return FIXED.has(key) ? JSON.stringify(value) : 'text'
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return objectText(Object.entries(value).map(([name, each]) => `${name}: ${shapeOf(each, name)}`))
}
