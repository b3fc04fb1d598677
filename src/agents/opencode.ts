import {
  environmentNames,
  streamAgent,
  type StreamAgent,
  type StreamAgentKind,
  type StreamAgentOptions,
} from './streams/stream-agent.ts'
import {
  added,
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

/**
 * OpenCode's `run --format json`. Every step reports its own usage: tokens and cost add up. A tool is reported once it has answered. A step
 * that ends for another reason than a tool call is the end. Only its log says that the provider refuses.
 */
const opencodeStream: StreamReader = {
  // Its side calls, for titles, aren't part of its work.
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
    // It reports 0 for a model whose price it doesn't know.
    ...(amountOf(part['cost']) === 0 ? {} : { costUsd: amountOf(part['cost']) }),
  })
  const after = { ...reading, used }
  return part['reason'] === 'tool-calls' ? after : { ...after, ending: { kind: 'success' } }
}

/**
 * A separate agent for `read`, set for one call and written to no file. OpenCode's `plan` refuses edits only, and runs any command; what
 * the user's settings allow to all agents comes before these rules. Files with keys stay closed, as they are by default.
 */
const READER = {
  mode: 'primary',
  description: 'Looks and changes nothing.',
  permission: {
    '*': 'deny',
    // By name too: a folder may have settings for an agent of this name.
    edit: 'deny',
    bash: 'deny',
    task: 'deny',
    read: { '*': 'allow', '*.env': 'deny', '*.env.*': 'deny', '*.env.example': 'allow' },
    ...Object.fromEntries(
      ['glob', 'grep', 'list', 'lsp', 'webfetch', 'websearch', 'todoread', 'todowrite'].map((name) => [name, 'allow']),
    ),
  },
}

/** What Pawl knows of OpenCode (seen: 1.18.33). */
export const opencode: StreamAgentKind = {
  name: 'opencode',
  npmPackage: 'opencode-ai',
  home: ['.config/opencode', '.local/share/opencode', '.local/state/opencode', '.cache/opencode'],
  settings: 'opencode.json opencode.jsonc config.json plugin plugins command commands agent agents tool tools'.split(' '),
  hosts: ['opencode.ai', 'models.dev', 'api.anthropic.com', 'api.openai.com', 'openrouter.ai'],
  environment: environmentNames(
    'OPENCODE_CONFIG OPENCODE_CONFIG_DIR OPENCODE_API_KEY OPENROUTER_API_KEY ANTHROPIC_API_KEY',
    'OPENAI_API_KEY GEMINI_API_KEY GOOGLE_GENERATIVE_AI_API_KEY',
  ),
  variables: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
  readVariables: { OPENCODE_CONFIG_CONTENT: JSON.stringify({ agent: { 'pawl-read': READER } }) },
  reader: opencodeStream,
  // Its own permissions apply: it edits the folder, and everything it would ask about is refused.
  arguments: ({ model, permissionMode, session }) => [
    'run',
    '--format',
    'json',
    // It tries again without end and without a word, but for its log.
    '--print-logs',
    '--log-level',
    'ERROR',
    ...{ read: ['--agent', 'pawl-read'], edit: [], full: ['--auto'] }[permissionMode],
    ...(model === undefined ? [] : ['--model', model]),
    ...(session === undefined ? [] : ['--session', session]),
  ],
  sessionGone: /Session not found/,
}

/**
 * OpenCode, one unattended session an iteration.
 *
 * @part opencode
 */
export function opencodeAgent(options: StreamAgentOptions = {}): StreamAgent {
  return streamAgent(opencode, options)
}
