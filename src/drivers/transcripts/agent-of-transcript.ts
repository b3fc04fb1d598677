import { type Fields, textOf } from './fields.ts'
import { transcriptLines } from './transcript-lines.ts'

/** The name of the agent that a file is a transcript of, by its first lines; nothing for any other file. */
export async function agentOfTranscript(file: string): Promise<string | undefined> {
  let looked = 0
  for await (const line of transcriptLines(file)) {
    const name = 'fields' in line ? agentOfLine(line.fields) : undefined
    if (name !== undefined || ++looked >= LINES_LOOKED_AT) return name
  }
  return undefined
}

const LINES_LOOKED_AT = 20

function agentOfLine(line: Fields): string | undefined {
  const [type, session] = [textOf(line['type']), textOf(line['sessionId'])]
  if (type !== undefined && typeof line['payload'] === 'object') return 'codex'
  if (type !== undefined && (session !== undefined || textOf(line['leafUuid']) !== undefined)) return 'claude'
  return type === undefined && session !== undefined ? 'gemini' : undefined
}
