import { basename } from 'node:path'

/** What a command asks its program to run: a script of package.json, or a file. */
export type AskedTarget =
  | { readonly kind: 'script'; readonly name: string; readonly manager: Manager }
  | { readonly kind: 'file'; readonly name: string; readonly program: 'node' | 'python' | 'shell' }

/** A program that runs the scripts of package.json. */
export type Manager = 'npm' | 'pnpm' | 'yarn' | 'bun'

/**
 * What a command asks for, out of its words alone; `undefined` for every other program, and where a flag may change what the words
 * mean or where they are looked for.
 */
export function askedTarget([program = '', ...words]: readonly string[]): AskedTarget | undefined {
  const name = basename(program)
  if (isManager(name)) return askedScript(name, words)
  const kind = FILE_PROGRAMS.find(([pattern]) => pattern.test(name))
  return kind && askedFile(kind[1], kind[2], words)
}

function isManager(name: string): name is Manager {
  return ['npm', 'pnpm', 'yarn', 'bun'].includes(name)
}

const QUIET = /^(?:-s|--silent)$/

/** Whether a word lets a package manager look in another folder, or makes it no error that a script is not there. */
export function isElsewhere(word: string): boolean {
  return ELSEWHERE.test(word)
}

const ELSEWHERE =
  /^(?:-C|-w|-r|-F|-ws|--(?:prefix|cwd|dir|workspaces?|workspace-root|filter|recursive|if-present|top-level)(?:=.*)?)$/

function askedScript(manager: Manager, words: readonly string[]): AskedTarget | undefined {
  const end = words.indexOf('--')
  if (words.slice(0, end === -1 ? undefined : end).some(isElsewhere)) return undefined
  const [first = '', ...rest] = words.filter((word) => !QUIET.test(word))
  // Of bun `bun test` is its own test runner.
  if (manager !== 'bun' && (first === 'test' || (manager !== 'yarn' && first === 't')))
    return { kind: 'script', name: 'test', manager }
  if (first !== 'run' && !(manager === 'npm' && first === 'run-script')) return undefined
  const [name = ''] = rest
  // pnpm takes a name between slashes for a pattern, and yarn finds one with a colon in every workspace.
  return /^[\w@.:-][\w@.:/-]*$/.test(name) && !name.startsWith('-') && !(manager === 'yarn' && name.includes(':'))
    ? { kind: 'script', name, manager }
    : undefined
}

type FileProgram = readonly [name: RegExp, kind: 'node' | 'python' | 'shell', flags: RegExp]

/** The programs that run a file, with the flags that may stand before it and take no value of their own. */
const FILE_PROGRAMS: readonly FileProgram[] = [
  [
    /^node$/,
    'node',
    /^--(?:test|no-warnings|enable-source-maps|trace-warnings|throw-deprecation|experimental-[a-z-]+|[a-z-]+=.*)$/,
  ],
  [/^python[\d.]*$/, 'python', /^-[bBdEIOsSuvq]+$/],
  [/^(?:sh|bash|dash|ksh|zsh)$/, 'shell', /^-[eux]+$/],
]

function askedFile(program: 'node' | 'python' | 'shell', flags: RegExp, words: readonly string[]): AskedTarget | undefined {
  const name = words.find((word) => !flags.test(word))
  // What begins with a dash is a flag that takes a value, or one that takes the place of the file.
  if (name === undefined || name === '' || name.startsWith('-') || /[*?[\]{}]/.test(name)) return undefined
  return program === 'node' && name === 'inspect' ? undefined : { kind: 'file', name, program }
}
