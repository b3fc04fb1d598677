import { PawlError } from '../../../core/pawl-error.ts'

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
export function afterSpace(text: string, from: number): number {
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
    throw new PawlError('config.json', `${this.path}:${line}: this is not JSON (${what}): mend it, then try again.`)
  }
}
