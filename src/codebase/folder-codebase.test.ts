import { chmod, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder, temporaryRepository, writeFiles } from '../../test/support/temporary-repository.ts'
import { folderCodebase } from './folder-codebase.ts'

beforeAll(() => {
  process.env['GIT_CONFIG_GLOBAL'] = '/dev/null'
  process.env['GIT_CONFIG_NOSYSTEM'] = '1'
})

const context = { signal: new AbortController().signal, progress: () => undefined }

const SHOP = {
  'src/login.ts': `import { session } from './session.ts'\nexport function loginUser(name: string) {\n  return session(name)\n}\n`,
  'src/session.ts': `export const session = (name: string) => ({ name })\n`,
  'src/server.ts': `import { loginUser } from './login.ts'\n// loginUser in a comment\nconst text = 'loginUser'\nexport function start() {\n  return loginUser(text)\n}\n`,
  'src/cart.ts': `export function addItem(user: string) {\n  return user\n}\n`,
  'src/price.ts': `export const price = (user: string) => user.length\n`,
  'test/login.test.ts': `import { loginUser } from '../src/login.ts'\nloginUser('a')\n`,
  'docs/login.md': `# Login\n\nA user logs in by name.\n`,
}

describe('the estimate of relevant files', () => {
  test('CODE-17 files are found by path, declared names and text, with the reasons in plain words', async () => {
    await using folder = await temporaryFolder()
    await writeFiles(folder.path, SHOP)
    const { files, filesTotal } = await folderCodebase({ path: folder.path }).estimate(
      { terms: ['login'], cited: [], filesMax: 10 },
      context,
    )
    expect(filesTotal).toBe(7)
    expect(files[0]).toEqual({
      path: 'src/login.ts',
      score: 1,
      reasons: ['declares `loginUser` (line 2)', 'path contains `login`'],
    })
    // Tests and documents count only if the question speaks of them.
    expect(files.map(({ path }) => path).toSorted()).toEqual(['src/login.ts', 'src/server.ts'])
    const tested = await folderCodebase({ path: folder.path }).estimate(
      { terms: ['login', 'tests'], cited: [], filesMax: 10 },
      context,
    )
    expect(tested.files.map(({ path }) => path)).toContain('test/login.test.ts')
    expect(files.every(({ reasons }) => reasons.length > 0)).toBe(true)
  })

  test('CODE-18 a rare term weighs more, forms of a word count as the word, and a limit keeps the best', async () => {
    await using folder = await temporaryFolder()
    await writeFiles(folder.path, SHOP)
    const codebase = folderCodebase({ path: folder.path })
    const rare = await codebase.estimate({ terms: ['user', 'items'], cited: [], filesMax: 2 }, context)
    const common = await codebase.estimate({ terms: ['user'], cited: [], filesMax: 2 }, context)
    expect(common.files).toHaveLength(2)
    expect(rare.files[0]).toMatchObject({ path: 'src/cart.ts', reasons: expect.arrayContaining(['declares `addItem` (line 1)']) })
    const named = await codebase.estimate({ terms: ['loginuser'], cited: [], filesMax: 1 }, context)
    expect(named.files.map(({ path }) => path)).toEqual(['src/login.ts'])
    const none = await codebase.estimate(
      { terms: ['zebra', '', '***', '"; DROP TABLE files'], cited: ['not/there.ts'], filesMax: 5 },
      context,
    )
    expect(none).toMatchObject({ files: [], filesTotal: 7 })
  })

  test('CODE-19 cited files matter, and what imports them or is imported by them', async () => {
    await using folder = await temporaryFolder()
    await writeFiles(folder.path, SHOP)
    const codebase = folderCodebase({ path: folder.path })
    const { files } = await codebase.estimate(
      { terms: ['price'], cited: ['src/login.ts', '../outside.ts'], filesMax: 10 },
      context,
    )
    expect(Object.fromEntries(files.map(({ path, reasons }) => [path, reasons[0]]))).toEqual({
      'src/login.ts': 'cited by a finding',
      'src/price.ts': 'declares `price` (line 1)',
      'src/session.ts': 'imported by src/login.ts, which is cited',
      'src/server.ts': 'imports src/login.ts, which is cited (line 1)',
    })
  })

  test('CODE-20 large, generated and binary files are never read; what cannot be read is known by its name', async () => {
    await using repository = await temporaryRepository({
      'src/a.ts': 'export const zebra = 1\n',
      'package-lock.json': '{"zebra": 1}',
    })
    const at = (name: string) => join(repository.path, name)
    await writeFile(at('zebra-large.txt'), 'zebra '.repeat(400_000))
    await writeFile(at('image.png'), 'zebra')
    await writeFile(at('binary'), Buffer.from([122, 0, 1]))
    await writeFile(at('latin1.py'), Buffer.from('zebra = "caf\u00e9"\n', 'latin1'))
    await writeFile(at('locked.txt'), 'zebra')
    await chmod(at('locked.txt'), 0)
    await symlink('/etc/passwd', at('link.txt'))
    const { files, filesTotal, notes } = await folderCodebase({ path: repository.path }).estimate(
      { terms: ['zebra', 'documents'], cited: [], filesMax: 10 },
      context,
    )
    expect(filesTotal).toBe(5)
    expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(['src/a.ts', 'latin1.py', 'zebra-large.txt']))
    expect(files.find(({ path }) => path === 'zebra-large.txt')?.reasons).toEqual(['path contains `zebra`'])
    expect(notes?.join()).toContain('zebra-large.txt')
  })

  test('CODE-21 a path that is no folder is a clear error, and an aborted look ends', async () => {
    await using folder = await temporaryFolder()
    const request = { terms: ['a'], cited: [], filesMax: 1 }
    await expect(folderCodebase({ path: join(folder.path, 'gone') }).estimate(request, context)).rejects.toMatchObject({
      code: 'codebase.no-folder',
    })
    const aborted = { ...context, signal: AbortSignal.abort() }
    await expect(folderCodebase({ path: folder.path }).estimate(request, aborted)).rejects.toThrow('abort')
    expect(() => folderCodebase({ path: '.', filesMax: 0 })).toThrow('filesMax')
  })
})

describe('what a question is about', () => {
  const NET = {
    'src/router.ts':
      'export class Router {\n  notFound() {\n    return 404\n  }\n  redirectTrailingSlash() {\n    return this.notFound()\n  }\n}\n',
    'src/request-id.ts': 'export function requestId(request: string) {\n  return request\n}\n',
    'src/agent.ts': 'export function userAgent(request: string) {\n  return request + requestHeader\n}\n',
    'src/server.ts':
      "import { Router } from './router.ts'\n// Every request comes here first.\nexport function serve(request: string) {\n  return new Router()\n}\n",
    'test/router.test.ts':
      "import { Router } from '../src/router.ts'\nnew Router().notFound()\nnew Router().redirectTrailingSlash()\n",
  }

  test('CODE-26 a place needs few files, the whole codebase all that matter', async () => {
    await using folder = await temporaryFolder()
    await writeFiles(folder.path, NET)
    const codebase = folderCodebase({ path: folder.path })
    const filesFor = async (text: string) =>
      (await codebase.estimate({ terms: [], cited: ['src/agent.ts'], filesMax: 10, questions: [{ text }] }, context)).files.map(
        ({ path }) => path,
      )
    expect(await filesFor('Where is the trailing slash redirected?')).toEqual(['src/router.ts'])
    const whole = await filesFor('How is a request treated across the whole codebase?')
    expect(whole.toSorted()).toEqual(['src/agent.ts', 'src/request-id.ts', 'src/server.ts'])
    expect(await filesFor('Where are zebras kept?')).toEqual([])
  })

  test('CODE-27 files are ranked by declarations, words and exact names; "not found" is one thing', async () => {
    await using folder = await temporaryFolder()
    await writeFiles(folder.path, NET)
    const index = await folderCodebase({ path: folder.path }).index(context)
    const first = (question: string) => index.search(question).hits[0]?.path
    expect(first('What handles a request that is not found?')).toBe('src/router.ts')
    expect(first('Where is the request id made?')).toBe('src/request-id.ts')
    expect(first('What does `userAgent` do?')).toBe('src/agent.ts')
    expect(index.search('Where is the constructor of the prototype?').hits).toEqual([])
    expect(index.search('zebra').unknown).toEqual(['zebra'])
  })
})

describe('the index', () => {
  test('CODE-22 uses of a name are where code names it: no comment, no text, no declaration', async () => {
    await using folder = await temporaryFolder()
    await writeFiles(folder.path, SHOP)
    const index = await folderCodebase({ path: folder.path }).index(context)
    expect(await index.usesOf('loginUser', 10)).toEqual([
      { file: 'src/server.ts', line: 1, isImport: true },
      { file: 'src/server.ts', line: 5, within: 'start', isCall: true },
      { file: 'test/login.test.ts', line: 1, isImport: true },
      { file: 'test/login.test.ts', line: 2, isCall: true },
    ])
    expect(index.declarationsWith('logins').map(({ name }) => name)).toEqual(['loginUser'])
    expect(index.importersOf('src/session.ts')).toEqual([{ from: 'src/login.ts', to: 'src/session.ts', line: 1 }])
  })
})

describe('the cache', () => {
  test('CODE-23 what changed, came or went is noticed, also within the tick of a clock', async () => {
    await using folder = await temporaryFolder()
    await using elsewhere = await temporaryFolder()
    const cachePath = join(elsewhere.path, 'made/code.db')
    await writeFiles(folder.path, SHOP)
    const open = () => folderCodebase({ path: folder.path, cachePath })
    const declares = async (name: string) => (await open().index(context)).declarationsOf(name).map(({ file }) => file)
    expect(await declares('loginUser')).toEqual(['src/login.ts'])
    const old = new Date(Date.now() - 60_000)
    const file = join(folder.path, 'src/login.ts')
    await writeFile(file, (await readFile(file, 'utf8')).replace('loginUser', 'letUserIn'))
    await utimes(file, old, old)
    expect(await declares('loginUser')).toEqual([])
    expect(await declares('letUserIn')).toEqual(['src/login.ts'])
    await rm(join(folder.path, 'src/session.ts'))
    await writeFiles(folder.path, { 'src/new.ts': `import './price.ts'\nexport const fresh = 1\n` })
    const index = await open().index(context)
    expect([index.declarationsOf('session'), index.declarationsOf('fresh').length, index.importsOf('src/login.ts')]).toEqual([
      [],
      1,
      [],
    ])
    expect(index.importersOf('src/price.ts').map(({ from }) => from)).toEqual(['src/new.ts'])
  })

  test('CODE-24 several at once, in one process and over the same file, give the same answer', async () => {
    await using folder = await temporaryFolder()
    await using elsewhere = await temporaryFolder()
    await writeFiles(folder.path, SHOP)
    const cachePath = join(elsewhere.path, 'code.db')
    const [one, other] = [folderCodebase({ path: folder.path, cachePath }), folderCodebase({ path: folder.path, cachePath })]
    const request = { terms: ['login', 'user'], cited: [], filesMax: 10 }
    const answers = await Promise.all([one, one, other, other].map((each) => each.estimate(request, context)))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]).toEqual(await folderCodebase({ path: folder.path }).estimate(request, context))
  })

  test('CODE-25 a damaged cache, or one of another folder, is begun afresh; a file of somebody else is refused and left alone', async () => {
    await using folder = await temporaryFolder()
    await using elsewhere = await temporaryFolder()
    await writeFiles(folder.path, SHOP)
    const cachePath = join(elsewhere.path, 'code.db')
    const total = async (path: string) => (await folderCodebase({ path, cachePath }).index(context)).filesTotal
    expect(await total(folder.path)).toBe(7)
    expect(await total(join(folder.path, 'src'))).toBe(5)
    expect(await total(folder.path)).toBe(7)
    const writer = new DatabaseSync(cachePath)
    writer.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    writer.close()
    const whole = await readFile(cachePath)
    const damages = [whole.subarray(0, 5000), whole.fill(0xab, 4096, 40_000)]
    for (const [index, bytes] of damages.entries()) {
      const damaged = join(elsewhere.path, `damaged-${index}.db`)
      await writeFile(damaged, bytes)
      const { filesTotal } = await folderCodebase({ path: folder.path, cachePath: damaged }).index(context)
      expect(filesTotal).toBe(7)
    }
    const foreign = join(elsewhere.path, 'foreign.db')
    const database = new DatabaseSync(foreign)
    database.exec('CREATE TABLE mine (x); INSERT INTO mine VALUES (1)')
    database.close()
    for (const [name, text] of [['foreign.db'], ['notes.txt', 'my notes']] as const) {
      const path = join(elsewhere.path, name)
      if (text !== undefined) await writeFile(path, text)
      const before = await readFile(path)
      await expect(folderCodebase({ path: folder.path, cachePath: path }).index(context)).rejects.toMatchObject({
        code: 'codebase.foreign-cache',
      })
      expect(await readFile(path)).toEqual(before)
    }
  })
})
