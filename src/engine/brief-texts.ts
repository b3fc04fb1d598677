import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EffectOf } from '../core/effect.ts'
import { replyLines } from '../core/replies.ts'
import type { Performance } from './perform.ts'

/** The brief, and where the texts it speaks of can be read whole: they are put into files that only this run writes. */
export async function withTexts(
  { brief: goal, texts = [], key, isReadOnly }: EffectOf<'work'>,
  { parts, state }: Pick<Performance, 'parts' | 'state'>,
): Promise<string> {
  const replies = replyLines(state, key, isReadOnly)
  const brief = replies.length === 0 ? goal : [goal, ...replies.map((line) => `${line}\n`)].join('')
  if (texts.length === 0 || parts.textsFolder === undefined) return brief
  const folder = join(parts.textsFolder, state.run)
  await mkdir(folder, { recursive: true })
  const lines: string[] = []
  for (const [index, { name, text }] of texts.entries()) {
    const content = await parts.store.getText(text)
    if (content === undefined) continue
    const path = join(folder, `${index + 1}-${fileName(name)}.txt`)
    await writeFile(path, content)
    lines.push(`- ${name}: ${path}`)
  }
  return lines.length === 0 ? brief : `${brief}\n# The whole output of the failed checks\n${lines.join('\n')}\n`
}

function fileName(name: string): string {
  return name
    .replaceAll(/[^\w.-]+/g, '-')
    .replace(/^[-.]+/, '')
    .slice(0, 60)
}
