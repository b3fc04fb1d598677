import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type KeptEdit, MemoryFile, takeBack, Trial, undoCutShortTry } from './trial.ts'
import { temporaryProject, type TemporaryProject } from '../../test/support/temporary-project.ts'
import * as fc from 'fast-check'

let project: TemporaryProject
const before = 'const a = 1\r\n// é 😀\n'
const after = 'const a = 2\r\n// é 😀\n'

beforeEach(() => {
  project = temporaryProject({ 'a.js': before, 'memory/.keep': '' })
  chmodSync(join(project.folder, 'memory'), 0o700)
})
afterEach(() => project.remove())

const memoryFile = () => new MemoryFile('run', project.folder, join(project.folder, 'memory'))
const present = () => readFileSync(join(project.folder, 'a.js'), 'utf8')

describe('Trial', () => {
  test('TINKER-4 what is not kept is put back byte by byte, with its mode', () => {
    chmodSync(join(project.folder, 'a.js'), 0o755)
    const trial = new Trial(project.folder, memoryFile())
    trial.begin([{ path: 'a.js', before, after }])
    expect(present()).toBe(after)
    trial.putBack()
    trial.putBack()
    expect(present()).toBe(before)
    expect(statSync(join(project.folder, 'a.js')).mode & 0o777).toBe(0o755)
  })

  test('TINKER-4 what is kept stays', () => {
    const trial = new Trial(project.folder, memoryFile())
    trial.begin([{ path: 'a.js', before, after }])
    trial.keep()
    trial.putBack()
    expect(present()).toBe(after)
  })
})

describe('undoCutShortTry', () => {
  test.each([
    ['undone', after, before, 'a.js'],
    ['undone also when the write itself was cut short', after.slice(0, 5), before, 'a.js'],
    ['left alone when the file is as it was', before, before, undefined],
    ['left alone when somebody changed the file since', 'const a = 3\n', 'const a = 3\n', undefined],
  ])('TINKER-7 a try during which tinker was killed is %s', async (_, found, expected, undone) => {
    new Trial(project.folder, memoryFile()).begin([{ path: 'a.js', before, after }])
    writeFileSync(join(project.folder, 'a.js'), found)
    expect(await undoCutShortTry(project.folder, memoryFile())).toBe(undone)
    expect(present()).toBe(expected)
    writeFileSync(join(project.folder, 'a.js'), after)
    expect(await undoCutShortTry(project.folder, memoryFile())).toBe(undefined)
  })
})

test('TINKER-4 TINKER-7 of a try in two files both are put back', async () => {
  const other = { path: 'memory/.keep', before: '', after: 'x' }
  const trial = new Trial(project.folder, memoryFile())
  trial.begin([{ path: 'a.js', before, after }, other])
  trial.putBack()
  expect(present()).toBe(before)
  trial.begin([{ path: 'a.js', before, after }, other])
  expect(await undoCutShortTry(project.folder, memoryFile())).toBe('a.js and memory/.keep')
  expect([present(), readFileSync(join(project.folder, 'memory/.keep'), 'utf8')]).toEqual([before, ''])
})

describe('MemoryFile', () => {
  test('TINKER-9 tries are known to later calls of the same run, by tree, until they are forgotten', () => {
    const first = memoryFile()
    first.addTry('tree', 'candidate', 'same')
    const second = memoryFile()
    second.load()
    expect([...second.triedOn('tree')]).toEqual([['candidate', 'same']])
    expect(second.triedOn('another tree').size).toBe(0)
    second.forgetTries()
    const third = memoryFile()
    third.load()
    expect(third.triedOn('tree').size).toBe(0)
  })

  test('TINKER-9 a file that cannot be read is as good as none', () => {
    const memory = memoryFile()
    writeFileSync(memory.path, '{ broken')
    expect(memory.load()).toEqual({ trees: {} })
  })

  test('TINKER-9 a folder that others may write to is refused', () => {
    const folder = join(project.folder, 'open')
    mkdirSync(folder)
    chmodSync(folder, 0o777)
    expect(() => new MemoryFile('run', project.folder, folder)).toThrow(/open to others: remove it, or set TMPDIR/)
  })
})

const edit = (start: number, replaced: string, replacement: string, path = 'a.js'): KeptEdit => ({
  path,
  start,
  end: start + replaced.length,
  replaced,
  replacement,
})

test('TINKER-13 an edit is taken back from under later ones, before and behind it and elsewhere', () => {
  const kept = [edit(4, 'b', 'BBB'), edit(0, 'a', ''), edit(9, 'c', 'CC'), edit(0, 'zzz', '', 'other.js')]
  expect(takeBack(' + BBB + CC', kept, 0)?.text).toBe(' + b + CC')
})

test('TINKER-13 an edit that a later one touches stays', () => {
  expect(takeBack('a + Bxx', [edit(4, 'b', 'BBB'), edit(5, 'BB', 'xx')], 0)).toBe(undefined)
})

test('TINKER-13 all edits taken back in any order give the first text again', () => {
  const places = fc.uniqueArray(fc.nat(9), { minLength: 2, maxLength: 6 })
  const order = fc.infiniteStream(fc.nat(100))
  fc.assert(
    fc.property(places, fc.infiniteStream(fc.stringMatching(/^[A-Z]{0,3}$/)), order, (chosen, replacements, random) => {
      const source = 'abcdefghij'
      let text = source
      let kept: KeptEdit[] = []
      for (const place of chosen) {
        const letter = source[place]!
        const made = edit(text.indexOf(letter), letter, replacements.next().value!)
        text = text.slice(0, made.start) + made.replacement + text.slice(made.end)
        kept.push(made)
      }
      while (kept.length > 0) {
        const taken = takeBack(text, kept, random.next().value! % kept.length)!
        text = taken.text
        kept = taken.kept
      }
      expect(text).toBe(source)
    }),
  )
})
