import { expect, it } from 'vitest'
import { patchLines } from './workspace-lines.ts'

const PATCH = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\u001B[2J\n+++new\n same\n'
const plain = (_style: unknown, text: string) => text
const coloured = (style: unknown, text: string) => `<${String(style)}>${text}`

it('CLI-270 a patch that a program reads is byte for byte what it was', () => {
  expect(`${[...patchLines(PATCH, { isLive: false, paint: plain })].join('\n')}\n`).toBe(PATCH)
  expect([...patchLines('', { isLive: false, paint: plain })]).toEqual([])
})

it('CLI-270 on a terminal a patch is coloured, and files cannot do anything to the terminal', () => {
  expect([...patchLines(PATCH, { isLive: true, paint: coloured })]).toEqual([
    '<bold>diff --git a/x b/x',
    '<bold>--- a/x',
    '<bold>+++ b/x',
    '<cyan>@@ -1 +1 @@',
    '<red>-old',
    '<green>+++new',
    ' same',
  ])
})
