import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { array, assert, constantFrom, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { temporaryFolder, userGit } from '../../test/support/temporary-repository.ts'
import { cappedDiff, type FileVersion, type LineChange, lineDiff, unifiedDiff } from './diff.ts'

const CONTENTS: readonly (readonly [string, string])[] = [
  ['', 'a\n'],
  ['a\n', ''],
  ['a', 'a\n'],
  ['a\nb', 'a\nc'],
  ['1\n2\n3\n4\n5\n6\n7\n8\n9\n', '1\n2\nthree\n4\n5\n6\n7\n8\n9\n10\n'],
  [numberedLines(1, 40), `zero\n${numberedLines(1, 12)}${numberedLines(15, 40)}`],
  ['a\r\nb\r\n', 'a\nb\r\n'],
  ['\u00e9\n\u65e5\u672c\n', '\u00e9\n\u672c\u65e5\n'],
]

describe.concurrent('unifiedDiff', () => {
  test('WORK-61 its patch, given to git apply, makes one file into the other, with any name', async () => {
    await using folder = await temporaryFolder()
    const path = 'dir/a "name" with\ttab.txt'
    await mkdir(join(folder.path, 'dir'))
    for (const [before, after] of CONTENTS) {
      await writeFile(join(folder.path, path), before)
      const { text, insertions, deletions } = unifiedDiff(path, version(before), version(after))
      await writeFile(join(folder.path, 'patch'), text)
      const counted = await userGit(folder.path, 'apply', '--numstat', 'patch')
      await userGit(folder.path, 'apply', 'patch')
      expect(await readFile(join(folder.path, path), 'utf8')).toBe(after)
      expect(counted).toMatch(new RegExp(`^${insertions}\t${deletions}\t`))
    }
  })

  test('WORK-61 added, deleted, mode-changed and binary files are written as git writes them', () => {
    expect(textOf(undefined, version('a\n'))).toBe(
      'diff --git a/x y b/x y\nnew file mode 100644\n--- /dev/null\n+++ b/x y\t\n@@ -0,0 +1 @@\n+a\n',
    )
    expect(textOf(version('a\n'))).toBe(
      'diff --git a/x y b/x y\ndeleted file mode 100644\n--- a/x y\t\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n',
    )
    expect(textOf(version('a\n'), version('a\n', '100755'))).toBe('diff --git a/x y b/x y\nold mode 100644\nnew mode 100755\n')
    expect(textOf(version('\0'), version('\0\0'))).toBe('diff --git a/x y b/x y\nBinary files a/x y and b/x y differ\n')
  })
})

function textOf(before?: FileVersion, after?: FileVersion): string {
  return unifiedDiff('x y', before, after).text.toString()
}

function version(content: string, mode = '100644'): FileVersion {
  return { mode, content: Buffer.from(content) }
}

function numberedLines(first: number, last: number): string {
  return Array.from({ length: last - first + 1 }, (_, index) => `line ${first + index}\n`).join('')
}

describe('lineDiff', () => {
  test('WORK-60 its script turns one text into the other, and is the shortest there is', () => {
    const lines = array(constantFrom('a', 'b', 'c', 'd'), { maxLength: 24 })
    assert(
      property(lines, lines, (before, after) => {
        const changes = lineDiff(before, after)
        expect(applied(before, after, changes)).toEqual(after)
        expect(editCount(changes)).toBe(before.length + after.length - 2 * commonLength(before, after))
      }),
      { numRuns: 500 },
    )
  })

  test('WORK-60 two long texts with everything different in between are compared in bounded time, and rightly', () => {
    let seed = 1
    const random = (limit: number) => (seed = (seed * 48_271) % 2_147_483_647) % limit
    const before = Array.from({ length: 12_000 }, () => String(random(40)))
    const after = Array.from({ length: 12_000 }, () => String(random(40)))
    expect(applied(before, after, lineDiff(before, after))).toEqual(after)
  })

  test('WORK-60 changes are listed in order and never touch one another', () => {
    expect(lineDiff(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'd', 'e'])).toEqual([
      { beforeStart: 1, beforeEnd: 2, afterStart: 1, afterEnd: 2 },
      { beforeStart: 4, beforeEnd: 4, afterStart: 4, afterEnd: 5 },
    ])
    expect(lineDiff([], [])).toEqual([])
    expect(lineDiff(['a'], ['a'])).toEqual([])
  })
})

function applied(before: readonly string[], after: readonly string[], changes: readonly LineChange[]): string[] {
  const result: string[] = []
  let place = 0
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of changes) {
    result.push(...before.slice(place, beforeStart), ...after.slice(afterStart, afterEnd))
    place = beforeEnd
  }
  return [...result, ...before.slice(place)]
}

function editCount(changes: readonly LineChange[]): number {
  return changes.reduce((sum, change) => sum + change.beforeEnd - change.beforeStart + change.afterEnd - change.afterStart, 0)
}

function commonLength(before: readonly string[], after: readonly string[]): number {
  let row = Array.from({ length: after.length + 1 }, () => 0)
  for (const line of before) {
    const next = [0]
    for (const [index, other] of after.entries()) {
      next.push(line === other ? row[index]! + 1 : Math.max(row[index + 1]!, next[index]!))
    }
    row = next
  }
  return row.at(-1)!
}

describe('cappedDiff', () => {
  test('WORK-62 a text within the caps comes back whole, however it was cut into chunks', async () => {
    const text = 'diff --git a/x b/x\n+é\n-ä\n'
    const bytes = Buffer.from(text)
    for (let size = 1; size <= bytes.length; size += 1) {
      expect(await cappedDiff(chunks(bytes, size))).toEqual({ text, bytesCut: 0 })
    }
  })

  test('WORK-62 a long file is cut at a line end and leaves room for those after it', async () => {
    const long = `diff --git a/long b/long\n${'+0123456789\n'.repeat(100)}`
    const short = 'diff --git a/short b/short\n+s\n'
    const { text, bytesCut } = await cappedDiff([Buffer.from(long + short)], { fileBytesMax: 100 })
    expect(text).toBe(`diff --git a/long b/long\n${'+0123456789\n'.repeat(6)}${short}`)
    expect(bytesCut).toBe(94 * 12)
  })

  test('WORK-62 the whole is capped too, and a line longer than the cap is counted and not collected', async () => {
    const huge = `diff --git a/huge b/huge\n+${'x'.repeat(5000)}\n`
    const { text, bytesCut } = await cappedDiff(chunks(Buffer.from(huge + huge), 64), { bytesMax: 40, fileBytesMax: 1000 })
    expect(text).toBe('diff --git a/huge b/huge\n')
    expect(bytesCut).toBe(2 * huge.length - text.length)
  })
})

function chunks(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size))
}
