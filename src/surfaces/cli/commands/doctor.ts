import type { CliContext } from '../cli-context.ts'
import { examineAgents } from '../doctor/examine-agents.ts'
import {
  examineCeilings,
  examineConfig,
  examineIsolation,
  examineMachine,
  examineStore,
  examineTests,
} from '../doctor/examine-project.ts'
import type { SideReason, TestSideGroup } from '../../../registry/test-side.ts'
import type { Diagnosis, Health } from '../doctor/examination.ts'
import { counted } from '../../../core/wording.ts'
import { EXIT } from '../exit-codes.ts'
import type { Terminal } from '../terminal.ts'

/** Checks everything a run needs and suggests fixes. Changes nothing. Exit 1 if there is a problem. */
export async function doctor(context: CliContext): Promise<number> {
  const { terminal, project, isJson } = context
  const agents = examineConfig(project).then(async ({ config, examined }) => [
    ...examined,
    await examineTests(project.root, config),
    ...(await examineIsolation(config, context.project.root)),
    ...(await examineAgents(project.root, config)),
  ])
  const items = (
    await Promise.all([examineMachine(project.root), examineStore(context), agents, examineCeilings(project)])
  ).flat()
  const isHealthy = items.every(({ status }) => status !== 'problem')
  if (isJson) terminal.json({ ok: isHealthy, items })
  else for (const line of linesOf(items, terminal)) terminal.say(line)
  return isHealthy ? EXIT.done : EXIT.error
}

const STYLES = { ok: 'green', absent: 'dim', warning: 'yellow', problem: 'red' } as const satisfies Record<Health, string>

const MARKS: Readonly<Record<Health, string>> = { ok: 'ok', absent: '-', warning: 'warning', problem: 'problem' }

function linesOf(items: readonly Diagnosis[], terminal: Terminal): readonly string[] {
  const topicLength = Math.max(...items.map(({ topic }) => topic.length))
  const indent = ' '.repeat(9 + topicLength + 2)
  const lines = items.flatMap((item) => {
    const { topic, status, message, fix } = item
    const [first = '', ...rest] = message.split('\n')
    const mark = terminal.paint(STYLES[status], MARKS[status])
    const pad = ' '.repeat(9 - MARKS[status].length)
    // What nobody asked for takes one line.
    const isBrief = status === 'absent'
    const fixes = fix === undefined || isBrief ? [] : [`${indent}${terminal.paint('dim', `fix: ${fix}`)}`]
    const how = fix !== undefined && isBrief ? terminal.paint('dim', ` (${fix})`) : ''
    return [
      `${mark}${pad}${topic.padEnd(topicLength)}  ${first}${how}`,
      ...[...rest, ...agentWords(item), ...(item.testSide ?? []).map(groupWords)].map((line) => `${indent}${line}`),
      ...fixes,
    ]
  })
  return [...lines, '', verdict(items)]
}

/** What is known of an agent that is here. */
function agentWords({ login, supports = [], parts = [], sessions = [], status }: Diagnosis): readonly string[] {
  if (status !== 'ok') return []
  const found = login?.status === 'found' ? [`log-in: ${login.by}`] : []
  const none = login?.status === 'none' ? [`log-in: none found (key chains aren't checked); ${login.how}`] : []
  const has = supports.length === 0 ? [] : [`has ${supports.join(', ')}`]
  const kept = sessions.map(({ path, files, bytes }) => `session files: ${path} (${counted(files, 'file')}, ${sizeWords(bytes)})`)
  return [...found, ...none, ...has, ...kept, ...(parts.length === 0 ? [] : [`in pawl.yaml it ${parts.join(' and ')}`])]
}

function sizeWords(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** `tests and their data (12): test/a.test.ts, test/b.test.ts, …`. */
function groupWords({ reason, count, files }: TestSideGroup): string {
  return `${REASONS[reason]} (${count}): ${files.join(', ')}${count > files.length ? ', …' : ''}`
}

const REASONS: Readonly<Record<SideReason, string>> = {
  named: 'named in pawl.yaml',
  test: 'tests and their data',
  settings: 'settings of tools',
  script: 'run by a check',
  'set-up': 'set-up of tests',
}

function verdict(items: readonly Diagnosis[]): string {
  const count = (wanted: Health) => items.filter(({ status }) => status === wanted).length
  const problems = count('problem')
  const warnings = count('warning')
  const remarks = warnings === 0 ? '' : `, ${warnings} warning${warnings === 1 ? '' : 's'}`
  return problems === 0 ? `No problems${remarks}.` : `${problems} problem${problems === 1 ? '' : 's'}${remarks}.`
}
