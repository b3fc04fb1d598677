import { claudeTranscript } from './claude-transcript.ts'
import { codexTranscript } from './codex-transcript.ts'
import { type Fields, fieldsOf, textOf, type TranscriptAgent, transcriptLines } from './transcript.ts'
import { geminiTranscript } from './gemini-transcript.ts'

/** The agents whose transcripts can be read. */
export const TRANSCRIPT_AGENTS: readonly TranscriptAgent[] = [claudeTranscript, codexTranscript, geminiTranscript]

/** Agents whose transcripts are known for theirs, and cannot be read. */
export const UNREADABLE_AGENTS = [{ name: 'qwen', title: 'Qwen Code' }] as const

/**
 * The name of the agent that a file is a transcript of, by its first lines; nothing for any other file. Of those that can be read it is
 * one only where its reader finds a turn: agents keep files beside their transcripts that name the same sessions.
 */
export async function agentOfTranscript(file: string, readable: readonly TranscriptAgent[]): Promise<string | undefined> {
  const name = await agentOfFirstLines(file)
  const agent = readable.find((each) => each.name === name)
  return agent === undefined || (await hasTurn(file, agent)) ? name : undefined
}

async function agentOfFirstLines(file: string): Promise<string | undefined> {
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
  if (type !== undefined && session !== undefined && isOfQwen(line)) return 'qwen'
  if (type !== undefined && (session !== undefined || textOf(line['leafUuid']) !== undefined)) return 'claude'
  return type === undefined && session !== undefined ? 'gemini' : undefined
}

/** Its lines are like those of Claude Code around messages like those of Gemini CLI. */
function isOfQwen(line: Fields): boolean {
  return Array.isArray(fieldsOf(line['message'])['parts']) || typeof line['systemPayload'] === 'object'
}

async function hasTurn(file: string, agent: TranscriptAgent): Promise<boolean> {
  const reader = agent.reader()
  for await (const line of transcriptLines(file)) {
    if ('fields' in line && reader.take(line.fields).length > 0) return reader.session() !== undefined
  }
  return reader.end().length > 0 && reader.session() !== undefined
}
