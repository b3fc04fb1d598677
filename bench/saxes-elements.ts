import { SaxesParser } from 'saxes'

export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  text: string
}

/** Every element of a document with its attributes and its own text: the least that a user of saxes has to do to see what is in it. */
export function saxesElements(document: string): readonly XmlElement[] {
  const parser = new SaxesParser({ position: false })
  const elements: XmlElement[] = []
  const open: XmlElement[] = []
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes: attributes as Record<string, string>, text: '' }
    elements.push(element)
    open.push(element)
  })
  const addText = (text: string): void => {
    const element = open.at(-1)
    if (element !== undefined) element.text += text
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => void open.pop())
  parser.write(document).close()
  return elements
}
