import { added, answered, called, ended, known, refused, said, touched } from './stream-steps.ts'
import { amountOf, fieldsOf, textOf, type Fields, type StreamReader, type StreamReading } from './stream-reading.ts'

/**
 * OpenCode's `run --format json`. Every step tells what it used: tokens and cost add up. A tool is told of when it has answered. A step
 * that ended for another reason than a call of a tool is the end. That its provider refuses stands in its log only.
 */
export const opencodeStream: StreamReader = {
  // Its side calls, for titles, are none of its work.
  noise: /^timestamp=\S+ level=ERROR .* small=true /,
  event: (reading, event) => {
    const seen = known(reading, { session: event['sessionID'] })
    const part = fieldsOf(event['part'])
    switch (event['type']) {
      case 'text':
        return said(seen, textOf(part['text']) ?? '')
      case 'tool_use':
        return toolUse(seen, part)
      case 'step_finish':
        return stepFinish(seen, part)
      case 'error':
        return ended(seen, event)
      default:
        return seen
    }
  },
  text: (reading, line) => {
    const [, why] =
      /^timestamp=\S+ level=ERROR .*\bmessage="stream error".* error\.error="AI_APICallError: (.*)"$/.exec(line) ?? []
    return why === undefined ? reading : refused(reading, { message: why, code: 'AI_APICallError', source: why })
  },
}

function toolUse(reading: StreamReading, part: Fields): StreamReading {
  const [id, name] = [textOf(part['callID']), textOf(part['tool'])]
  if (id === undefined || name === undefined) return reading
  const { status, input, output, error } = fieldsOf(part['state'])
  const after = answered(called(reading, { id, name, input }), id, { status, output, error })
  return /^(?:edit|write|multiedit|patch)$/.test(name) ? touched(after, fieldsOf(input)['filePath']) : after
}

function stepFinish(reading: StreamReading, part: Fields): StreamReading {
  const tokens = fieldsOf(part['tokens'])
  const cache = fieldsOf(tokens['cache'])
  const all =
    typeof tokens['total'] === 'number'
      ? amountOf(tokens['total'])
      : ['input', 'output', 'reasoning'].reduce(
          (sum, name) => sum + amountOf(tokens[name]),
          amountOf(cache['read']) + amountOf(cache['write']),
        )
  const used = added(reading.used, {
    tokens: all,
    // It tells 0 for a model whose price it does not know.
    ...(amountOf(part['cost']) === 0 ? {} : { costUsd: amountOf(part['cost']) }),
  })
  const after = { ...reading, used }
  return part['reason'] === 'tool-calls' ? after : { ...after, ending: { kind: 'success' } }
}
