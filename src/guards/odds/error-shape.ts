/**
 * What kind of error a message tells of: its telling line without names, numbers and quoted parts. `Unknown column 'a'` and
 * `Unknown column 'b'` have the same shape. The last shapes are remembered: the same messages are asked about after every iteration.
 */
export function errorShape(message: string): string {
  const known = shapes.get(message)
  if (known !== undefined) return known
  const shape = shapeOf(message)
  if (message.length > REMEMBERED_LENGTH_MAX) return shape
  if (shapes.size >= REMEMBERED_MAX) shapes.clear()
  shapes.set(message, shape)
  return shape
}

const shapes = new Map<string, string>()
const REMEMBERED_MAX = 500
const REMEMBERED_LENGTH_MAX = 4000

function shapeOf(message: string): string {
  const lines = message.slice(0, REMEMBERED_LENGTH_MAX).trim().split('\n')
  const [first = ''] = lines
  // A trace says at its end what went wrong.
  const telling = lines.length > 1 && TRACE.test(first) ? (lines.at(-1) ?? first) : first
  return telling.replaceAll(QUOTED, 'Q').replaceAll(/\d+/g, '0').slice(0, SHAPE_LENGTH_MAX)
}

const TRACE = /Traceback|Error|Exception|^-{10}/
const QUOTED = /'[^']*'|"[^"]*"|`[^`]*`/g
const SHAPE_LENGTH_MAX = 80
