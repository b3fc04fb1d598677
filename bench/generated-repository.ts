import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Files of a generated repository, by path: five languages, some hundred lines each, which import each other. */
export interface GeneratedRepository {
  readonly files: ReadonlyMap<string, string>
}

const WORDS =
  'login user order cart item price session token cache queue worker report parse render route config store event guard check retry limit budget search index graph node edge path text'.split(
    ' ',
  )

/** How many of ten files are of each language, three for the first. */
const LANGUAGES = ['ts', 'ts', 'ts', 'ts', 'ts', 'ts', 'py', 'go', 'java', 'c'] as const

/** Writes a repository of that many source files, always the same ones. */
export function generateRepository(root: string, filesCount: number): GeneratedRepository {
  const word = randomWords()
  const files = new Map<string, string>()
  const names: { readonly path: string; readonly name: string }[] = []
  for (let index = 0; index < filesCount; index++) {
    const language = LANGUAGES[index % LANGUAGES.length] ?? 'ts'
    const name = `${word()}${capitalised(word())}${index}`
    const path = `src/${word()}/${word()}${index % 40}/${language === 'java' ? capitalised(name) : name}.${language}`
    const before = names.filter(({ path: other }) => other.endsWith(`.${language}`)).slice(-200)
    const imported = Array.from({ length: 6 }, (_, step) => before[(index * 7 + step * 31) % Math.max(before.length, 1)]).filter(
      (each) => each !== undefined,
    )
    files.set(path, WRITERS[language]({ name, path, imported, word }))
    names.push({ path, name })
  }
  files.set('go.mod', 'module example.com/shop\n')
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  execFileSync('git', ['init', '--quiet'], {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', GIT_CONFIG_GLOBAL: '/dev/null' },
  })
  return { files }
}

interface Plan {
  readonly name: string
  readonly path: string
  readonly imported: readonly { readonly path: string; readonly name: string }[]
  readonly word: () => string
}

const WRITERS: Readonly<Record<(typeof LANGUAGES)[number], (plan: Plan) => string>> = {
  ts: ({ name, imported, word }) =>
    [
      ...imported.map((each) => `import { ${each.name} } from '../../../${each.path}'`),
      `/** Does ${word()} with ${word()}. */`,
      `export function ${name}(input: string): number {`,
      ...lines(30, () => `  const ${word()}${capitalised(word())} = compute${capitalised(word())}(input) // ${word()} ${word()}`),
      `  return ${imported[0]?.name ?? 'Number'}(input)`,
      '}',
      ...blocks(5, (index) => [
        `export const ${word()}_${index} = (value: number) => {`,
        ...lines(9, () => `  if (value > 1) return ${word()}.${word()}(value + 2)`),
        '}',
      ]),
    ].join('\n'),
  py: ({ name, imported, word }) =>
    [
      ...imported.map(
        ({ path }) => `from ${path.slice(0, -3).replaceAll('/', '.')} import ${path.slice(path.lastIndexOf('/') + 1, -3)}`,
      ),
      `class ${capitalised(name)}:`,
      ...blocks(6, (index) => [
        `    def ${word()}_${index}(self, value):`,
        `        """Does ${word()}."""`,
        ...lines(10, () => `        self.${word()} = ${word()}(value, "${word()}")`),
      ]),
      `def ${name}(value):`,
      '    return value',
    ].join('\n'),
  go: ({ name, path, imported, word }) =>
    [
      `package ${path.split('/').at(-2)}`,
      'import (',
      ...imported.map((each) => `\t"example.com/shop/${dirname(each.path)}"`),
      ')',
      ...blocks(6, (index) => [
        `func ${capitalised(name)}${index}(value int) int {`,
        ...lines(10, () => `\t${word()} := ${word()}(value)`),
        '\treturn value',
        '}',
      ]),
    ].join('\n'),
  java: ({ name, path, imported, word }) =>
    [
      `package ${dirname(path).replaceAll('/', '.')};`,
      ...imported.map((each) => `import ${each.path.slice(0, -5).replaceAll('/', '.')};`),
      `public class ${capitalised(name)} {`,
      ...blocks(6, (index) => [
        `  public int ${word()}${index}(int value) {`,
        ...lines(10, () => `    int ${word()} = this.${word()}(value);`),
        '    return value;',
        '  }',
      ]),
      '}',
    ].join('\n'),
  c: ({ name, imported, word }) =>
    [
      ...imported.map((each) => `#include "${each.path}"`),
      ...blocks(6, (index) => [
        `static int ${name}_${index}(int value) {`,
        ...lines(10, () => `  int ${word()} = ${word()}(value, ${index});`),
        '  return value;',
        '}',
      ]),
    ].join('\n'),
}

function lines(count: number, line: () => string): readonly string[] {
  return Array.from({ length: count }, line)
}

function blocks(count: number, block: (index: number) => readonly string[]): readonly string[] {
  return Array.from({ length: count }, (_, index) => block(index)).flat()
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function randomWords(): () => string {
  let state = 7
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return WORDS[Math.floor((state / 2 ** 32) * WORDS.length)] ?? ''
  }
}
