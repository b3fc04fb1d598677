import { PawlError } from '../../../core/pawl-error.ts'

/** Where to: names of fields, from the outside in. */
export type JsoncPath = readonly string[]

/** Sets a field in a JSON text and leaves every other byte as it is; missing objects on the way are made. */
export function withField(text: string, path: string, to: JsoncPath, value: unknown): string {
  const { node, rest } = walk(jsoncTree(text, path), to)
  const [key = '', ...deeper] = rest
  if (node.kind !== 'object') throw unexpected(path, to, 'an object')
  return inserted(
    text,
    node,
    `${JSON.stringify(key)}: `,
    deeper.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value),
  )
}

/** Adds an item at the end of a list in a JSON text; makes the list if it is missing. */
export function withItem(text: string, path: string, to: JsoncPath, item: unknown): string {
  const { node, rest } = walk(jsoncTree(text, path), to)
  if (rest.length > 0) return withField(text, path, to, [item])
  if (node.kind !== 'array') throw unexpected(path, to, 'a list')
  return inserted(text, node, '', item)
}

function unexpected(path: string, to: JsoncPath, what: string): PawlError {
  return new PawlError(
    'config.json',
    `${path}: ${to.join('.')} cannot be set, since something on the way is not ${what}: fix it first.`,
  )
}

/** Takes out the first field or item for which `isUnwanted` holds, and what is empty without it; the same text if there is none. */
export function without(text: string, path: string, isUnwanted: (node: JsoncNode, at: JsoncPath) => boolean): string {
  const found = firstUnwanted(jsoncTree(text, path), [], isUnwanted)
  if (!found) return text
  const { container, index } = found
  return removed(text, partsOf(container), index)
}

/** The innermost object or list on the way that is there, and the names that are missing behind it. */
function walk(root: JsoncNode, to: JsoncPath): { readonly node: JsoncNode; readonly rest: JsoncPath } {
  let node = root
  for (const [index, name] of to.entries()) {
    const next = node.kind === 'object' ? node.members.find(({ key }) => key === name)?.value : undefined
    if (!next) return { node, rest: to.slice(index) }
    node = next
  }
  return { node, rest: [] }
}

interface Part {
  readonly start: number
  readonly end: number
}

function partsOf(node: JsoncNode): readonly Part[] {
  if (node.kind === 'object') return node.members.map(({ start, value }) => ({ start, end: value.end }))
  return node.kind === 'array' ? node.items : []
}

function inserted(text: string, node: JsoncNode, name: string, value: unknown): string {
  const parts = partsOf(node)
  const last = parts.at(-1)
  const unit = indentUnit(text)
  const outer = lineIndent(text, node.start)
  const isOneLine = last !== undefined && !text.slice(node.start, last.end).includes('\n')
  const line = endOfLine(text)
  const inner = last && !isOneLine ? lineIndent(text, last.start) : outer + unit
  const whole = isOneLine
    ? `${name}${JSON.stringify(value)}`
    : `${line}${inner}${name}${JSON.stringify(value, null, unit).replaceAll('\n', `${line}${inner}`)}`
  if (!last) {
    const close = node.end - 1
    const before = text.slice(0, close).replace(/[ \t\r\n]*$/, '')
    return `${before}${whole}${line}${outer}${text.slice(close)}`
  }
  const comma = text[afterSpace(text, last.end)] === ',' ? afterSpace(text, last.end) : undefined
  const afterLast = comma === undefined ? last.end : comma + 1
  const head = comma === undefined ? `${text.slice(0, last.end)},` : text.slice(0, afterLast)
  // A comment behind the last one stays behind it.
  const [behind = ''] = isOneLine
    ? ['']
    : (/^[ \t]*(?:\/\/[^\n]*|\/\*[^\n]*?\*\/)?[ \t]*(?=\r?\n)/.exec(text.slice(afterLast)) ?? [''])
  return `${head}${behind}${isOneLine ? ' ' : ''}${whole}${comma === undefined ? '' : ','}${text.slice(afterLast + behind.length)}`
}

function removed(text: string, parts: readonly Part[], index: number): string {
  const part = parts[index] as Part
  const before = parts[index - 1]
  const comma = afterSpace(text, part.end)
  const end = text[comma] === ',' ? comma + 1 : part.end
  const space = /[ \t]*\r?\n?[ \t]*$/.exec(text.slice(0, part.start))?.[0].length ?? 0
  const isLast = index === parts.length - 1
  const rest = text.slice(end)
  if (!isLast || !before) return text.slice(0, part.start - space) + (isLast ? rest : spaced(text, part, end))
  if (text[comma] === ',') return text.slice(0, part.start - space) + rest
  // The comma before it goes too: nothing follows any more.
  const earlier = afterSpace(text, before.end)
  return text.slice(0, earlier) + text.slice(earlier + 1, part.start - space) + rest
}

/** What follows a removed first part on the same line moves up; on lines of their own it stays as it is. */
function spaced(text: string, part: Part, end: number): string {
  const rest = text.slice(end)
  const isOnOwnLine = /\n[ \t]*$/.test(text.slice(0, part.start))
  return isOnOwnLine ? rest : rest.replace(/^[ \t]+/, '')
}

interface Found {
  readonly container: JsoncNode
  readonly index: number
}

/** If it is alone in its container, the container is taken out. */
function firstUnwanted(
  node: JsoncNode,
  at: JsoncPath,
  isUnwanted: (node: JsoncNode, at: JsoncPath) => boolean,
): Found | undefined {
  const children =
    node.kind === 'object' ? node.members : node.kind === 'array' ? node.items.map((value) => ({ key: '', value })) : []
  for (const [index, { key, value }] of children.entries()) {
    const here = [...at, key]
    if (isUnwanted(value, here)) return { container: node, index }
    const found = firstUnwanted(value, here, isUnwanted)
    if (!found) continue
    const isAlone = partsOf(found.container).length === 1 && found.container === value
    return isAlone ? { container: node, index } : found
  }
  return undefined
}

function lineIndent(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1)
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}

/** What one level is indented by, as the first indented line shows; two spaces if none is. */
function indentUnit(text: string): string {
  return /\n([ \t]+)["}\]{[]/.exec(text)?.[1] ?? '  '
}

function endOfLine(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** A JSON value with its place in the text; comments and commas too many are passed over. */
export type JsoncNode = { readonly start: number; readonly end: number } & (
  | { readonly kind: 'object'; readonly members: readonly JsoncMember[] }
  | { readonly kind: 'array'; readonly items: readonly JsoncNode[] }
  | { readonly kind: 'plain'; readonly value: unknown }
)

export interface JsoncMember {
  readonly key: string
  readonly start: number
  readonly value: JsoncNode
}

/** Reads JSON, also with comments and trailing commas as many programs allow them. Throws `config.json` with the place. */
export function jsoncTree(text: string, path: string): JsoncNode {
  const reader = new Reader(text, path)
  const node = reader.value(0)
  reader.space()
  if (reader.at < text.length) reader.fail('something stands after its end')
  return node
}

/** The value without its places. */
export function jsoncValue(node: JsoncNode): unknown {
  if (node.kind === 'plain') return node.value
  if (node.kind === 'array') return node.items.map(jsoncValue)
  return Object.fromEntries(node.members.map(({ key, value }) => [key, jsoncValue(value)]))
}

/** Where the next thing that is neither space nor comment begins. */
function afterSpace(text: string, from: number): number {
  SPACE.lastIndex = from
  SPACE.exec(text)
  return SPACE.lastIndex
}

const SPACE = /(?:[\s\uFEFF]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y
const TOKEN = /"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/y
const DEPTH_MAX = 200

class Reader {
  at = 0
  readonly text: string
  readonly path: string

  constructor(text: string, path: string) {
    this.text = text
    this.path = path
  }

  space(): void {
    this.at = afterSpace(this.text, this.at)
  }

  value(depth: number): JsoncNode {
    if (depth > DEPTH_MAX) this.fail('it is nested too deeply')
    this.space()
    const start = this.at
    if (this.takes('{')) return { kind: 'object', start, members: this.list('}', () => this.member(depth)), end: this.at }
    if (this.takes('[')) return { kind: 'array', start, items: this.list(']', () => this.value(depth + 1)), end: this.at }
    return { kind: 'plain', start, value: this.token(), end: this.at }
  }

  member(depth: number): JsoncMember {
    const start = this.at
    const key = this.token()
    if (typeof key !== 'string') this.fail('the name of a field must be in double quotes')
    this.space()
    if (!this.takes(':')) this.fail('a colon is missing')
    return { key: String(key), start, value: this.value(depth + 1) }
  }

  list<Each>(close: string, each: () => Each): readonly Each[] {
    const found: Each[] = []
    for (;;) {
      this.space()
      if (this.takes(close)) return found
      found.push(each())
      this.space()
      if (!this.takes(',') && this.text[this.at] !== close) this.fail(`a comma or "${close}" is missing`)
    }
  }

  token(): unknown {
    TOKEN.lastIndex = this.at
    const [token] = TOKEN.exec(this.text) ?? []
    if (token === undefined) return this.fail('a value is missing')
    this.at += token.length
    try {
      return JSON.parse(token)
    } catch {
      return this.fail(`${token} is no value`)
    }
  }

  takes(sign: string): boolean {
    if (this.text[this.at] !== sign) return false
    this.at += 1
    return true
  }

  fail(what: string): never {
    const line = this.text.slice(0, this.at).split('\n').length
    throw new PawlError('config.json', `${this.path}:${line}: this is not JSON (${what}): fix it, then try again.`)
  }
}
