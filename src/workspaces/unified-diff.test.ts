import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder, userGit } from '../../test/support/temporary-repository.ts'
import { unifiedDiff, type FileVersion } from './unified-diff.ts'

const CONTENTS: readonly (readonly [string, string])[] = [
  ['', 'a\n'],
  ['a\n', ''],
  ['a', 'a\n'],
  ['a\nb', 'a\nc'],
  ['1\n2\n3\n4\n5\n6\n7\n8\n9\n', '1\n2\nthree\n4\n5\n6\n7\n8\n9\n10\n'],
  [lines(1, 40), `zero\n${lines(1, 12)}${lines(15, 40)}`],
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

function lines(first: number, last: number): string {
  return Array.from({ length: last - first + 1 }, (_, index) => `line ${first + index}\n`).join('')
}
