import { PawlError } from '../core/pawl-error.ts'
import type { DraftList, DraftTask } from './task-list.ts'

/**
 * The open items of a Markdown checklist (`- [ ] Do this`), in order. Lines that belong to an item, nested lists too, are part of its
 * goal; checked items, headings, other text and code blocks are passed over.
 */
export function parseChecklist(text: string, file: string): DraftList {
  const items: Item[] = []
  let item: Item | undefined
  let fence: string | undefined
  let isAfterBlank = false
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const indent = indentOf(line)
    const isBlank = line.trim() === ''
    const isOpenFence = fence !== undefined
    fence = fenceAfter(line, fence)
    const belongs = item !== undefined && (isBlank || indent > item.indent || (!isAfterBlank && isPlainText(line)))
    const box = isOpenFence || belongs ? null : BOX.exec(line)
    if (box) {
      item = { indent, line: index + 1, isDone: box[1] !== ' ', lines: [box[2] ?? ''] }
      items.push(item)
    } else if (item && belongs) item.lines.push(line)
    else item = undefined
    isAfterBlank = isBlank
  }
  return { tasks: drafts(items, file), control: {} }
}

interface Item {
  readonly indent: number
  readonly line: number
  readonly isDone: boolean
  readonly lines: string[]
}

const BOX = /^\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\](?:\s+(.*))?$/
const FENCE = /^\s*(`{3,}|~{3,})/

function drafts(items: readonly Item[], file: string): readonly DraftTask[] {
  const open = items.filter((item) => !item.isDone)
  const empty = open.filter((item) => goalOf(item) === '')
  if (empty.length > 0) {
    const lines = empty.map(
      ({ line, indent }) => `${file}:${line}:${indent + 1}: this task says nothing: write what is to be true`,
    )
    throw new PawlError('config.tasks', lines.join('\n'), { value: file })
  }
  if (open.length > 0) return open.map((item) => ({ goal: goalOf(item) }))
  const sentence =
    items.length > 0
      ? `${file} has no open task: every item of its checklist is checked.`
      : `${file} has no task: write each as an item of a checklist, such as "- [ ] Login returns a numeric userId".`
  throw new PawlError('config.tasks', sentence, { value: file })
}

/** The lines below an item, moved to the left as far as they go together. */
function goalOf({ lines: [first = '', ...rest] }: Item): string {
  const indents = rest.filter((line) => line.trim() !== '').map(indentOf)
  const indentMin = Math.min(...indents)
  return [first.trim(), ...rest.map((line) => line.slice(Math.min(indentMin, indentOf(line))).trimEnd())].join('\n').trim()
}

/** A line right below an item that begins nothing else goes on with its sentence, wherever it stands. */
function isPlainText(line: string): boolean {
  return !/^\s*(?:[-*+]\s|\d+[.)]\s|#|>|```|~~~|\||(?:[-*_]\s*){3,}$)/.test(line)
}

function fenceAfter(line: string, fence: string | undefined): string | undefined {
  const mark = FENCE.exec(line)?.[1]
  if (fence === undefined) return mark
  return mark !== undefined && mark.startsWith(fence) && line.trim() === mark ? undefined : fence
}

/** Tabs go to the next multiple of four, as Markdown has it. */
function indentOf(line: string): number {
  let width = 0
  for (const character of line) {
    if (character === ' ') width++
    else if (character === '\t') width += 4 - (width % 4)
    else break
  }
  return width
}
