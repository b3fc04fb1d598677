import { isAlias, isMap, isNode, isScalar, isSeq, type Document, type Node } from 'yaml'
import type { ConfigProblem } from './config-problem.ts'

/** Where in the text a problem is: the offset of its value or key, or of the nearest thing around it that is there. */
export function offsetOf(document: Document, { path, at }: Pick<ConfigProblem, 'path' | 'at'>): number {
  let node: Node | null = document.contents
  let offset = node?.range?.[0] ?? 0
  for (const [depth, key] of path.entries()) {
    const owner: unknown = isAlias(node) ? node.resolve(document) : node
    const isLast = depth === path.length - 1
    const next: Node | undefined = isLast && at === 'key' ? keyNode(owner, key) : valueNode(owner, key)
    if (next === undefined) return offset
    offset = next.range?.[0] ?? offset
    node = next
  }
  return offset
}

function valueNode(owner: unknown, key: string | number): Node | undefined {
  if (isSeq(owner)) return asNode(owner.items[Number(key)])
  const pair = isMap(owner) ? owner.items.find((each) => keyText(each.key) === String(key)) : undefined
  return asNode(pair?.value) ?? asNode(pair?.key)
}

function keyNode(owner: unknown, key: string | number): Node | undefined {
  const pair = isMap(owner) ? owner.items.find((each) => keyText(each.key) === String(key)) : undefined
  return asNode(pair?.key)
}

function asNode(value: unknown): Node | undefined {
  return isNode(value) ? value : undefined
}

function keyText(key: unknown): string {
  return String(isScalar(key) ? key.value : key)
}
