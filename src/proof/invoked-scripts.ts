import { posix } from 'node:path'

type Read = (path: string) => Promise<string | undefined>

/** A command line, and the folder it runs in; empty for the top. */
export interface CommandIn {
  readonly line: string
  readonly folder: string
  /** Set if it is all that a check runs. */
  readonly isAll?: true
}

/**
 * The commands of a line, each in the folder that it runs in: `cd api && npm test`, `(cd api; sh go.sh)`, `env -C api sh go.sh`,
 * `make -C api check`, `npm --prefix api test`, `npm test --workspace api`. Modules and folders become the files that are run:
 * `python3 -m tools.ok` is `python3 tools/ok.py`, and `node tools` is `node tools/index.js`.
 */
export function inTheirFolders({ line, folder, ...rest }: CommandIn, known: ReadonlySet<string>): readonly CommandIn[] {
  const moved = (name: string, command: string): CommandIn | undefined => {
    const place = posix.join(folder, name.replace(/^\$\{?(?:PWD|CURDIR)\}?\//, '')).replace(/\/$/, '')
    return place.startsWith('..') ? undefined : { ...rest, line: command, folder: place === '.' ? '' : place }
  }
  const [, inner, after = ''] = /^\s*\(\s*(cd\s[^()]*)\)\s*(?:(?:&&|;)\s*([^]*))?$/.exec(line) ?? []
  if (inner !== undefined)
    return [inner, after].filter((each) => each !== '').flatMap((each) => inTheirFolders({ ...rest, line: each, folder }, known))
  for (const [pattern, command] of MOVES) {
    const found = pattern.exec(line)
    const there = found?.groups && moved(found.groups['to'] ?? '', command(found.groups))
    if (there && [...known].some((path) => there.folder === '' || path.startsWith(`${there.folder}/`)))
      return inTheirFolders(there, known)
  }
  return [{ ...rest, line: asFile(line, folder, known), folder }]
}

const MOVES: readonly (readonly [pattern: RegExp, command: (groups: Readonly<Record<string, string>>) => string])[] = [
  [/^\s*cd\s+["']?(?<to>[^\s"';&|]+)["']?\s*(?:&&|;)\s*(?<all>[^]*)$/, ({ all = '' }) => all],
  [/^\s*env\s+(?:-C\s*|--chdir[=\s])["']?(?<to>[^\s"';&|]+)["']?\s+(?<all>[^]*)$/, ({ all = '' }) => all],
  [
    /^\s*@?(?:\$[({]MAKE[)}]|make)\s(?<before>[^;&|]*?)(?:-C\s*|--directory[=\s])["']?(?<to>[^\s"';&|]+)["']?(?<all>[^;&|]*)$/,
    ({ before = '', all = '' }) => `make ${before}${all.trim()}`,
  ],
  [
    /^\s*(?<program>npm|pnpm|yarn)(?<before>(?:(?!\s--\s)[^;&|])*?)\s(?:--prefix|--cwd|--dir|-C|--workspace|(?<=npm\s(?:(?!\s--\s)[^;&|])*)(?<!pnpm\s.*)-w)[=\s]\s*["']?(?<to>[^\s"';&|]+)["']?(?<all>[^;&|]*)$/,
    ({ program = '', before = '', all = '' }) => `${program}${before}${all}`,
  ],
]

function asFile(line: string, folder: string, known: ReadonlySet<string>): string {
  const first = (names: readonly string[]): string | undefined => names.find((name) => known.has(posix.join(folder, name)))
  return line
    .replace(/^(\s*(?:\w+=\S*\s+)*python[\d.]*\s+)-m\s+([\w.]+)(?=\s|$)/, (all, start: string, name: string) => {
      const path = name.replaceAll('.', '/')
      const file = first([`${path}.py`, `${path}/__main__.py`])
      return file === undefined || !name.includes('.') ? all : start + file
    })
    .replace(/^(\s*node\s+)(?:\.\/)?([\w./-]+?)\/?(?=\s|$)/, (all, start: string, name: string) => {
      const file = known.has(posix.join(folder, name))
        ? undefined
        : first([`${name}/index.js`, `${name}/index.mjs`, `${name}.js`])
      return file === undefined ? all : start + file
    })
    .replace(/^(\s*(?:ba|da|z)?sh)\s*<\s*([\w./-]+)\s*$/, '$1 $2')
}

/**
 * Scripts that a shell script runs so that they decide for it, and those that these run. A script that compares something itself runs what
 * it compares, so what it runs is the work. One that doesn't leaves it to the scripts that it runs by themselves, without arguments.
 */
export async function decidingScripts(
  path: string,
  folder: string,
  known: ReadonlySet<string>,
  read: Read,
  depth = 0,
): Promise<readonly CommandIn[]> {
  const text = withoutComments((await read(path)) ?? '')
  if (COMPARES.test(text) || depth > DEPTH_MAX) return []
  const found: CommandIn[] = []
  for (const { line: file, folder: place } of invoked(text, path, folder, known)) {
    if (file === path || found.some(({ line }) => line === file)) continue
    const deeper = await decidingScripts(file, place, known, read, depth + 1)
    const own = withoutComments((await read(file)) ?? '')
    const isDeciding = COMPARES.test(own) && FAILS.test(own) && namesOther(own, [path, file], place, known)
    if (isDeciding || deeper.length > 0) found.push({ line: file, folder: place }, ...deeper)
  }
  return found
}

const DEPTH_MAX = 5
const COMPARES = /(?:^|[\s;&|(!])(?:\[\[?|test|diff|cmp|comm|grep)\s/m
const FAILS = /\bexit\s+(?:[1-9]|\$)|\|\||^\s*set\s+-\w*e|\bfail/m

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*#.*$/gm, '')
}

/** Whether a script speaks of files of the project other than these. */
function namesOther(text: string, own: readonly string[], folder: string, known: ReadonlySet<string>): boolean {
  const words = text.split(/[\s;&|()"'`=<>]+/).filter((word) => word !== '')
  const files = words.flatMap((word) => [posix.join(folder, word), posix.join(posix.dirname(own.at(-1) ?? ''), word)])
  return files.some((file) => known.has(file) && !own.includes(file))
}

/** The shell scripts that a script runs by themselves, each with the folder it runs in. */
function invoked(text: string, path: string, folder: string, known: ReadonlySet<string>): readonly CommandIn[] {
  const own = posix.relative(folder, posix.dirname(path)) || '.'
  const named = [
    ...text.matchAll(
      /^\s*(?:export\s+|readonly\s+)?(\w+)="?(?:\$\(\s*cd\s[^\n]*)?\$\(\s*dirname\s[^\n]*\$\{?(?:0|BASH_SOURCE)/gm,
    ),
  ]
  const variables = named.map(([, name = '']) => name).filter((name) => name !== '')
  const found: CommandIn[] = []
  let place = folder
  for (const line of text.split('\n')) {
    const plain = variables
      .reduce((all, name) => all.replaceAll(new RegExp(String.raw`\$(?:${name}\b|\{${name}\})`, 'g'), () => own), line)
      .replaceAll(OWN_FOLDER, () => own)
      .replaceAll(/["']/g, '')
      .replaceAll(/\$\{?PWD\}?\//g, '')
    const [, to] = /^\s*cd\s+([^\s;&|]+)\s*(?:\|\|\s*exit.*)?$/.exec(plain) ?? []
    if (to !== undefined) place = posix.join(place, to).replace(/^\.$|\/$/, '')
    else
      for (const { line: command, folder: there } of inTheirFolders({ line: plain, folder: place }, known)) {
        const [, file = ''] = INVOKES.exec(command) ?? []
        const script = posix.join(there, file)
        if (file !== '' && known.has(script)) found.push({ line: script, folder: there })
      }
  }
  return found
}

const OWN_FOLDER = /\$\(\s*dirname\s+(?:--\s+)?"?\$\{?(?:0|BASH_SOURCE(?:\[0\])?)\}?"?\s*\)/g
const INVOKES =
  /^\s*(?:exec\s+)?(?:(?:(?:ba|da|z)?sh)\s+(?:-\w+\s+)*(?:<\s*)?|(?=\.\/|[\w-]+\/))([\w./-]+)(?:\s+\$[@*])?\s*(?:\|\|\s*(?:exit|return)\b.*)?$/

/**
 * Changed files that decide, among those that checks run by a pattern, by their folder, or as text: `for t in cases/*.sh; do sh "$t"; done`,
 * `find steps -exec sh {} +`, `eval "$(cat steps.txt)"`. `texts` are the checks' commands and programs.
 */
export async function scriptsInBulk(
  changed: readonly string[],
  texts: readonly string[],
  known: ReadonlySet<string>,
  read: Read,
): Promise<readonly string[]> {
  const running = texts.filter((text) => RUNS_EACH.test(text)).join('\n')
  if (running === '') return []
  const words = new Set(texts.join('\n').split(/[\s;&|()"'`=<>,]+/))
  const found: string[] = []
  for (const path of changed) {
    const folder = posix.dirname(path)
    const isMeant = [...words].some(
      (word) =>
        (word.includes('*') && word !== '*' && posix.matchesGlob(path, word.replace(/^\.\//, ''))) ||
        (folder !== '.' && posix.normalize(word).replace(/\/$/, '') === folder) ||
        (word === path && /\beval\b/.test(running)),
    )
    const text = isMeant ? withoutComments((await read(path)) ?? '') : ''
    if (COMPARES.test(text) && FAILS.test(text) && namesOther(text, [path], '', known)) found.push(path)
  }
  return found
}

/** A program that is started with a file which a variable, a pattern or a list names. */
const RUNS_EACH =
  /(?:^|[\s;&|(])(?:(?:ba|da|z)?sh|source|\.|node|python3?)\s+(?:-\w+\s+)*["']?\$\{?\w|\bxargs\b[^|;\n]*\b(?:(?:ba|da|z)?sh|node|python3?)\b|-exec\s+(?:(?:ba|da|z)?sh|node|python3?|\{\})|\beval\b|\bsubprocess\b|\bchild_process\b|\bdo\s+["']?\$\{?\w/

/** Files beside a check script that it imports and that check in its place. */
export async function importedChecks(path: string, known: ReadonlySet<string>, read: Read): Promise<readonly string[]> {
  const text = /\.[cm]?[jt]s$/.test(path) ? ((await read(path)) ?? '') : ''
  const place = posix.dirname(path)
  const names = [...text.matchAll(/(?:\bfrom|\bimport|\brequire\()\s*\(?['"](\.[^'"]+)['"]/g)].map(([, name = '']) =>
    posix.join(place, name),
  )
  const files = names.flatMap((name) => [name, `${name}.js`, `${name}.mjs`, `${name}.ts`].filter((each) => known.has(each)))
  const found: string[] = []
  for (const file of files.filter((each) => posix.dirname(each) === place)) {
    const own = (await read(file)) ?? ''
    if (/\bthrow\b|\bassert\b|\bexit\(\s*1/.test(own) && /(?:\bfrom|\brequire\()\s*['"]\.\.\//.test(own)) found.push(file)
  }
  return found
}

/** Folders whose modules Python finds first: those that a check runs it in, and those of `PYTHONPATH`. */
export function moduleFolders({ line, folder }: CommandIn): readonly string[] {
  const paths = [...line.matchAll(/\bPYTHONPATH=["']?([^\s"';&|]+)/g)].flatMap(([, list = '']) => list.split(':'))
  const named = paths.map((path) => posix.join(folder, path.replace(/^\$\{?PWD\}?\/?/, '')).replace(/\/$/, ''))
  return [...(/\bpython[\d.]*\s/.test(line) ? [folder] : []), ...named].filter((each) => each !== '' && /^[\w-]/.test(each))
}

/** A makefile with its own folder and the variables that it sets once to a word or a path. */
export function withVariables(makefile: string): string {
  const set = [...makefile.matchAll(/^(\w+)\s*[:?]?:?=[ \t]*([\w./-]+)[ \t]*$/gm)]
  const isOnce = (name: string): boolean => set.filter(([, other]) => other === name).length === 1
  return set
    .filter(([, name = '']) => isOnce(name))
    .reduce(
      (text, [, name = '', value = '']) => text.replaceAll(`$(${name})`, () => value).replaceAll(`\${${name}}`, () => value),
      makefile,
    )
    .replaceAll(/\$[({]CURDIR[)}]\//g, '')
}
