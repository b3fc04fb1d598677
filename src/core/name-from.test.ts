import { expect, test } from 'vitest'
import { nameFrom } from './names.ts'

test.each([
  ['Größe prüfen', 'grosse-prufen'],
  ['Gro\u0308ße pru\u0308fen', 'grosse-prufen'],
  ['ÉCOLE à Łódź, çà et là', 'ecole-a-lodz-ca-et-la'],
  ['Ærø, Ðorđe & Œuvre', 'aero-dorde-oeuvre'],
  ['İstanbul’da ışık', 'istanbul-da-isik'],
  ['Fix login (№ 3)', 'fix-login-no-3'],
])('CORE-250 letters with marks become their base letters: %s', (text, name) => {
  expect(nameFrom(text, new Set(), 'task')).toBe(name)
})

test('CORE-250 words of other scripts give no letters, and two of the same name are numbered', () => {
  expect(nameFrom('修正 login バグ', new Set(), 'task')).toBe('login')
  expect(nameFrom('исправить ошибку', new Set(), 'task')).toBe('task')
  expect(nameFrom('นี้ कि', new Set(['task']), 'task')).toBe('task-2')
})

test('CORE-250 a name is at most 40 characters, and ends with a letter or a digit', () => {
  const name = nameFrom('ß'.repeat(60), new Set(), 'task')
  expect(name).toBe('s'.repeat(40))
  expect(nameFrom(`${'ä'.repeat(39)} übrig`, new Set(), 'task')).toBe('a'.repeat(39))
})
