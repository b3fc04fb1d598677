import { answered, called, ended, known, refused, said, touched } from './stream-steps.ts'
import { amountOf, fieldsOf, textOf, type Fields, type StreamReader, type StreamReading } from './stream-reading.ts'

/** Gemini CLI's `-o stream-json`. Its figures are those of this work. It knows no cost, and tells of refusals on standard error only. */
export const geminiStream: StreamReader = {
  // What it says of its terminal and its set-up.
  noise:
    /^Warning: (?:256-color support|True color|Basic terminal|Limited color support|GNU screen) |^Ripgrep is not available\./,
  event: (reading, event) => {
    switch (event['type']) {
      case 'init':
        return known(reading, { session: event['session_id'], model: event['model'] })
      case 'message':
        return event['role'] === 'assistant'
          ? said(reading, textOf(event['content']) ?? '', { isOpen: event['delta'] === true })
          : reading
      case 'tool_use':
        return toolUse(reading, event)
      case 'tool_result': {
        const { tool_id: id, status, output, error } = event
        return answered(reading, textOf(id) ?? '', { status, output, error })
      }
      case 'result':
        return ended(withTokens(reading, fieldsOf(event['stats'])['total_tokens']), event)
      default:
        return reading
    }
  },
  text: (reading, line) => {
    const [, status, why] = /^Attempt \d+ failed(?: with status (\d{3})\b|\. Retrying with backoff\.\.\. (.+))/.exec(line) ?? []
    if (status !== undefined) return refused(reading, { message: line, status: Number(status), source: line })
    return why === undefined ? reading : refused(reading, { message: why, source: why })
  },
}

function toolUse(reading: StreamReading, event: Fields): StreamReading {
  const [id, name] = [textOf(event['tool_id']), textOf(event['tool_name'])]
  if (id === undefined || name === undefined) return reading
  const after = called(reading, { id, name, input: event['parameters'] })
  return /^(?:replace|edit|write_file)$/.test(name) ? touched(after, fieldsOf(event['parameters'])['file_path']) : after
}

function withTokens(reading: StreamReading, total: unknown): StreamReading {
  return typeof total === 'number' ? { ...reading, used: { tokens: amountOf(total) } } : reading
}
