import { posix } from 'node:path'

/** How names were changed all over the work: old to new. */
export type Renames = ReadonlyMap<string, string>

/** The names that the code had at the start and has no more, and those that are new. */
export interface SourceNames {
  readonly gone: ReadonlySet<string>
  readonly added: ReadonlySet<string>
  /** Paths of code files that are gone, and of new ones. */
  readonly goneFiles: readonly string[]
  readonly addedFiles: readonly string[]
}

/** The code before or now: the texts of changed files, and the paths of those that are there only then. */
export interface SourceTexts {
  readonly texts: readonly string[]
  readonly files: readonly string[]
}

/** Compares the names in two versions of the code; a file's name counts as one of them. */
export function sourceNames(before: SourceTexts, now: SourceTexts): SourceNames {
  const [old, present] = [wordsIn(before), wordsIn(now)]
  return {
    gone: new Set([...old].filter((word) => !present.has(word))),
    added: new Set([...present].filter((word) => !old.has(word))),
    goneFiles: before.files,
    addedFiles: now.files,
  }
}

function wordsIn({ texts, files }: SourceTexts): ReadonlySet<string> {
  return new Set([...texts.map(withoutComments), ...files.map((path) => path.slice(path.lastIndexOf('/') + 1))].flatMap(words))
}

/** Code without its comments, as far as that can be known without parsing it: a comment begins a line or follows a space. */
export function withoutComments(text: string): string {
  return text.replaceAll(/(^|\s)\/\*[^]*?\*\/|(^|[ \t])(?:\/\/|#(?![![\w]))[^\n]*/gm, '$1$2')
}

/**
 * The renames that turn one text of a test into the other, where nothing else differs: the same words in the same order, each old name
 * gone from the code and its new name there instead. Texts in quotes may keep the old name. Relative paths may differ in how many
 * folders they go up, as they do when a test moves.
 */
export function renamesBetween(before: string, now: string, names: SourceNames): Renames | undefined {
  const [old, present] = [tokens(before), tokens(now)]
  if (old.length !== present.length) return undefined
  const renames = new Map<string, string>()
  const quoted: (readonly [was: string, is: string])[] = []
  for (const [index, was] of old.entries()) {
    const is = present[index]!
    const known = renames.get(was)
    if (isQuoted(was) && isQuoted(is)) quoted.push([was, is])
    else if (known !== undefined ? known !== is : was !== is && !isRename(was, is, names)) return undefined
    else if (was !== is) renames.set(was, is)
  }
  for (const [was, is] of quoted) {
    if (was === is || renamed(was, renames) === is) continue
    // The name of a file that moved can still be the name of something in it, so it isn't renamed elsewhere.
    if (isPath(was) && isPath(is) && isMove(was, is, names)) continue
    const inPath = isPath(was) ? renamesInPath(was, is, names) : undefined
    if (!inPath) return undefined
    for (const [from, to] of inPath) renames.set(from, to)
  }
  return renames
}

/**
 * An old test that can run on code with new names: names that are gone from the code become those that replace them in the new
 * test, and imports of files that moved lead to where they are now. What it expects stays as it was.
 */
export function inNewNames(path: string, before: string, now: string, names: SourceNames): string {
  const renames = renamesByPlace(before, now, names)
  // A path can have the name of a function that is gone, and lead to a file that is still there.
  const text = before.replaceAll(/(['"`])\.\.?\/[^'"`\n]*\1|[A-Za-z_$][\w$]*/g, (word) => renames.get(word) ?? word)
  return withMovedImports(path, text, names)
}

/** An old test that loads modules in the newer way, if the present one does: what it loads, and by which name, stays as it was. */
export function inNewModules(before: string, now: string): string {
  if (!/^import\b/m.test(now) || /\brequire\(/.test(now)) return before
  return before.replaceAll(
    REQUIRE,
    (_all, names: string, path: string) => `import ${names.replaceAll(/\s*:\s*/g, ' as ')} from ${path}`,
  )
}

const REQUIRE = /^(?:const|let|var)\s+(\{[^{}=]*\}|[\w$]+)\s*=\s*require\(\s*(['"][^'"\n]+['"])\s*\)/gm

/** Names that are gone, each with the new one that has the same neighbours most often. */
function renamesByPlace(before: string, now: string, { gone, added }: SourceNames): Renames {
  const [old, present] = [neighbours(tokens(before)), neighbours(tokens(now))]
  const renames = new Map<string, string>()
  for (const [was, places] of old) {
    if (!gone.has(was) || present.has(was)) continue
    const shared = [...present]
      .filter(([is]) => added.has(is) && !old.has(is))
      .map(([is, others]) => [is, places.filter((place) => others.includes(place)).length] as const)
      .toSorted(([, left], [, right]) => right - left)
    const [is, count] = shared[0] ?? ['', 0]
    if (count > 0) renames.set(was, is)
  }
  return renames
}

/** For each name, what is before and after it, wherever it occurs. */
function neighbours(all: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, string[]>()
  for (const [index, name] of all.entries())
    if (/^[A-Za-z_$]/.test(name) && !NOT_A_NAME.test(name))
      places.set(name, [...(places.get(name) ?? []).slice(-PLACES_MAX), `${all[index - 1] ?? ''} ${all[index + 1] ?? ''}`])
  return places
}

const PLACES_MAX = 50

function withMovedImports(path: string, text: string, names: SourceNames): string {
  const moves = names.goneFiles.flatMap((was) => {
    const is = movedTo(was, names)
    return is === undefined ? [] : [[was, is] as const]
  })
  if (moves.length === 0) return text
  if (path.endsWith('.py')) return moves.reduce((all, [was, is]) => withModule(all, moduleOf(was), moduleOf(is)), text)
  const folder = posix.dirname(path)
  return text.replaceAll(/(['"`])(\.\.?\/[^'"`\n]*)\1/g, (whole, quote: string, written: string) => {
    const place = posix.join(folder, written)
    const [was, is] = moves.find(([file]) => file === place || file.replace(/\.\w+$/, '') === place) ?? []
    if (was === undefined || is === undefined) return whole
    const target = posix.relative(folder, was === place ? is : is.replace(/\.\w+$/, ''))
    return `${quote}${target.startsWith('.') ? target : `./${target}`}${quote}`
  })
}

/** Where a file that is gone has gone: to a new one of the same name, or to the only one of its kind. */
function movedTo(was: string, { goneFiles, addedFiles }: SourceNames): string | undefined {
  const isAlike = (file: string): boolean => posix.extname(file) === posix.extname(was)
  const sameName = addedFiles.filter((file) => posix.basename(file) === posix.basename(was))
  if (sameName.length === 1) return sameName[0]
  const others = addedFiles.filter((file) => isAlike(file) && moduleOf(file) !== '')
  const packages = others.filter((file) => file.endsWith('/__init__.py'))
  const [only] =
    others.length === 1 ? others : others.length === packages.length + 1 ? others.filter((file) => !packages.includes(file)) : []
  return goneFiles.filter(isAlike).length === 1 ? only : undefined
}

/** `maths.sums` for `src/maths/sums.py`. */
function moduleOf(file: string): string {
  return file
    .replace(/^(?:src|lib)\//, '')
    .replace(/(?:\/?__init__)?\.\w+$/, '')
    .replaceAll('/', '.')
}

function withModule(text: string, was: string, is: string): string {
  const name = was.replaceAll('.', String.raw`\.`)
  return text
    .replaceAll(new RegExp(`^(\\s*from\\s+)${name}(\\s+import\\b)`, 'gm'), `$1${is}$2`)
    .replaceAll(new RegExp(`^(\\s*import\\s+)${name}[ \\t]*$`, 'gm'), `$1${is} as ${was}`)
}

/** Whether a path that is imported led to a file that is gone, and now leads to a new one. */
function isMove(was: string, is: string, { goneFiles, addedFiles }: SourceNames): boolean {
  return goneFiles.some((file) => leadsTo(was, file)) && addedFiles.some((file) => leadsTo(is, file))
}

function leadsTo(token: string, file: string): boolean {
  const path = token.slice('"./'.length, -1)
  return path !== '' && [file, file.replace(/\.\w+$/, '')].some((each) => `/${each}`.endsWith(`/${path}`))
}

/** A path with other names in it, each of them of a file that moved. */
function renamesInPath(was: string, is: string, names: SourceNames): Renames | undefined {
  const [old, present] = [words(was), words(is)]
  const renames = new Map(old.flatMap((word, index) => (word === present[index] ? [] : [[word, present[index] ?? ''] as const])))
  const isSame = old.length === present.length && [...renames].every(([from, to]) => isRename(from, to, names))
  return isSame ? renames : undefined
}

function isRename(was: string, is: string, { gone, added }: SourceNames): boolean {
  return [was, is].every((word) => /^[A-Za-z_$][\w$]+$/.test(word) && !NOT_A_NAME.test(word)) && gone.has(was) && added.has(is)
}

/** Values, operators and what tests are made of: another one of these is another test. */
const NOT_A_NAME =
  /^(?:[tT]rue|[fF]alse|null|undefined|None|nil|NaN|Infinity|not|is|in|and|or|if|else|return|throw|raise|it|test|describe|suite|skip|only|todo|expect|should|ok|x?fail|pass|assert\w*|\w*[eE]qual|to[A-Z]\w*|throws|raises|rejects|match|doesNot\w+)$/

/** A test's name after the renames. */
export function renamed(name: string, renames: Renames): string {
  return renames.size === 0 ? name : name.replaceAll(/[A-Za-z_$][\w$]*/g, (word) => renames.get(word) ?? word)
}

/** Words, numbers, texts in quotes and every other sign; white space doesn't count, nor how many folders a path goes up. */
function tokens(text: string): readonly string[] {
  const plain = text.replaceAll(/(['"`])(?:\.\.?\/)+/g, '$1./')
  return plain.match(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|[\w$]+|[^\w\s]/g) ?? []
}

/** Whether most of a text is still there, whatever its form is now. */
export function keepsMost(before: string, now: string): boolean {
  return tokens(now).length >= tokens(before).length * KEPT_MIN
}

const KEPT_MIN = 0.8

function isQuoted(token: string): boolean {
  return token.length > 1 && /^['"`]/.test(token)
}

function isPath(token: string): boolean {
  return /^['"`]\.\//.test(token)
}

function words(text: string): readonly string[] {
  return text.match(/[A-Za-z_$][\w$]+/g) ?? []
}
