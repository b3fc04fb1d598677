import type { TranscriptSession, TranscriptTurn } from './transcript-turn.ts'
import type { Fields } from './fields.ts'

/** Reads the transcripts of one agent, line by line. What it does not know it passes over: agents write much besides. */
export interface TranscriptReader {
  /** Takes one line; returns the turns that are done with it. */
  take(line: Fields): readonly TranscriptTurn[]
  /** There are no more lines: returns what is left. */
  end(): readonly TranscriptTurn[]
  /** The session it is of, once that is known. */
  session(): TranscriptSession | undefined
}

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
