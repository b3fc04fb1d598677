/** A document with places for what was measured: `<!-- measured: NAME -->`, then the lines, then `<!-- end of measured -->`. */
const BLOCK = /<!-- measured: ([\w-]+) -->\n[\s\S]*?<!-- end of measured -->/g

/** The document with the blocks in their places. Throws where the document lacks a place, or has one for which there is no block. */
export function withMeasured(document: string, blocks: Readonly<Record<string, readonly string[]>>): string {
  const left = new Set(Object.keys(blocks))
  const written = document.replaceAll(BLOCK, (_whole, name: string) => {
    const lines = blocks[name]
    if (!lines) throw new Error(`The document has a place for "${name}", which is not measured.`)
    left.delete(name)
    return [`<!-- measured: ${name} -->`, '', ...lines.join('\n').trim().split('\n'), '', '<!-- end of measured -->'].join('\n')
  })
  if (left.size > 0) throw new Error(`The document has no place for: ${[...left].join(', ')}.`)
  return written
}
