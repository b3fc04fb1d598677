import { type ToolUse, uncutActionOf } from '../../core/action-of.ts'
import type { Denied } from '../../core/denied.ts'
import { counted } from '../../core/wording.ts'
import { redactedStart } from '../../secrets/filter.ts'
import { fieldsOf, listOf, textOf, type Fields } from './stream-reading.ts'

/** The calls that an agent's last event says were denied to it, the first few. */
export function deniedCalls({ permission_denials: denials }: Fields): readonly ToolUse[] {
  return listOf(denials)
    .slice(0, KEPT_MAX)
    .map(({ tool_name: name, tool_input: input }) => ({ name: textOf(name) ?? 'a tool', input: fieldsOf(input) }))
}

const KEPT_MAX = 50

/** What an agent wanted to do and was denied by its own rules, with the way out; nothing where it was denied nothing. */
export async function deniedWork(denied: readonly ToolUse[], name: string, mode: string): Promise<Denied | undefined> {
  if (denied.length === 0) return undefined
  const words = await Promise.all(denied.slice(0, NAMED_MAX).map(callWords))
  const more = denied.length > NAMED_MAX ? ', …' : ''
  const way = mode === 'full' ? '' : ', or go on with --permission-mode full in a container'
  const what = `${counted(denied.length, 'call')} of ${name} ${denied.length === 1 ? 'was' : 'were'}`
  return {
    calls: denied.length,
    message: `${what} denied in permission mode ${mode}: ${[...new Set(words)].join(', ')}${more}.`,
    fix: `Allow what it needs in ${name}'s own settings${way}.`,
  }
}

const NAMED_MAX = 3

async function callWords(use: ToolUse): Promise<string> {
  const { name, label } = uncutActionOf(use)
  return label === undefined ? name : `${name} ${await redactedStart(label, LABEL_LENGTH_MAX)}`
}

const LABEL_LENGTH_MAX = 60
