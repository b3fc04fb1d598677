import {
  commandRules,
  environmentNames,
  streamAgent,
  type StreamAgent,
  type StreamAgentKind,
  type StreamAgentOptions,
} from './streams/stream-agent.ts'
import {
  amountOf,
  answered,
  called,
  ended,
  type Fields,
  fieldsOf,
  known,
  refused,
  said,
  type StreamReader,
  type StreamReading,
  textOf,
  touched,
} from './streams/stream-reading.ts'

/** Gemini CLI's `-o stream-json`. Its figures are this work's. It doesn't report its cost, and reports refusals on standard error only. */
const geminiStream: StreamReader = {
  // Messages about its terminal and its set-up.
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
        return ended(withTokens(reading, fieldsOf(event['stats'])), event)
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

/** What it thinks is output, and only in the total. */
function withTokens(reading: StreamReading, { total_tokens: total, input_tokens: input, cached }: Fields): StreamReading {
  if (typeof total !== 'number') return reading
  const output = Math.max(0, amountOf(total) - amountOf(input))
  return {
    ...reading,
    used: { tokens: amountOf(total) },
    tokenKinds: { input: amountOf(input), cached: amountOf(cached), output },
  }
}

/** What Pawl knows of Gemini CLI (seen: 0.61.0). */
export const gemini: StreamAgentKind = {
  name: 'gemini',
  npmPackage: '@google/gemini-cli',
  home: ['.gemini'],
  settings: ['settings.json', '.env', 'extensions', 'policies', 'commands', 'agents', 'skills'],
  hosts: [
    'generativelanguage.googleapis.com',
    'cloudcode-pa.googleapis.com',
    'oauth2.googleapis.com',
    'aiplatform.googleapis.com',
  ],
  environment: environmentNames(
    'GEMINI_API_KEY GEMINI_MODEL GOOGLE_API_KEY GOOGLE_GEMINI_BASE_URL GOOGLE_GENAI_USE_VERTEXAI',
    'GOOGLE_CLOUD_PROJECT GOOGLE_CLOUD_LOCATION GOOGLE_APPLICATION_CREDENTIALS GEMINI_CLI_NO_RELAUNCH',
  ),
  reader: geminiStream,
  // In a folder that it doesn't trust it would ask, and nobody can answer here.
  arguments: ({ model, permissionMode, session, commands }) => [
    '-o',
    'stream-json',
    '--skip-trust',
    '--approval-mode',
    { read: 'plan', edit: 'auto_edit', full: 'yolo' }[permissionMode],
    ...(model === undefined ? [] : ['-m', model]),
    ...(session === undefined ? [] : ['--resume', session]),
    ...commandRules('run_shell_command', commands).flatMap((rule) => ['--allowed-tools', rule]),
  ],
  sessionGone: /Error resuming session:.*(?:No previous sessions found|Invalid session identifier)/,
}

/**
 * Google's Gemini CLI, one unattended session an iteration.
 *
 * @part gemini
 */
export function geminiAgent(options: StreamAgentOptions = {}): StreamAgent {
  return streamAgent(gemini, options)
}
