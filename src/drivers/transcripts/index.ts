import { claudeTranscript } from './claude-transcript.ts'
import { codexTranscript } from './codex-transcript.ts'
import { geminiTranscript } from './gemini-transcript.ts'
import type { TranscriptReader } from './transcript-reader.ts'

export { transcriptFiles } from './transcript-files.ts'
export { transcriptLines, type TranscriptLine } from './transcript-lines.ts'
export type { TranscriptReader } from './transcript-reader.ts'

/** An agent whose transcripts can be read. */
export interface TranscriptAgent {
  readonly name: string
  readonly title: string
  /** What its files are called, and the same in words. */
  readonly fileName: RegExp
  readonly files: string
  /** Where it keeps them. */
  readonly place: string
  readonly reader: () => TranscriptReader
}

/** The agents whose transcripts can be read. */
export const TRANSCRIPT_AGENTS: readonly TranscriptAgent[] = [
  {
    name: 'claude',
    title: 'Claude Code',
    fileName: /\.jsonl$/,
    files: 'SESSION.jsonl',
    place: '~/.claude/projects',
    reader: claudeTranscript,
  },
  {
    name: 'codex',
    title: 'Codex',
    fileName: /^rollout-.*\.jsonl$/,
    files: 'rollout-TIME-ID.jsonl',
    place: '~/.codex/sessions',
    reader: codexTranscript,
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    fileName: /^session-.*\.jsonl?$/,
    files: 'session-TIME-ID.jsonl (or .json)',
    place: '~/.gemini/tmp/PROJECT/chats',
    reader: geminiTranscript,
  },
]
