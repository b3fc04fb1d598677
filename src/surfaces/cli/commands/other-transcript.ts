import { join } from 'node:path'
import { PawlError } from '../../../core/pawl-error.ts'
import { counted } from '../../../core/wording.ts'
import { agentOfTranscript, TRANSCRIPT_AGENTS, UNREADABLE_AGENTS } from '../../../evidence/transcripts/agent-of-transcript.ts'
import { type TranscriptAgent, transcriptFiles } from '../../../evidence/transcripts/transcript.ts'
import { shellWord } from '../../../core/shell-word.ts'

type Agent = TranscriptAgent

/** An agent whose transcripts are known, whether or not they can be read. */
type KnownAgent = Agent | (typeof UNREADABLE_AGENTS)[number]

/** The agent that a file is a transcript of, where that is not the one it was taken for. */
export async function otherAgentOf(file: string, taken: Agent): Promise<KnownAgent | undefined> {
  const name = await agentOfTranscript(file, TRANSCRIPT_AGENTS)
  return name === taken.name ? undefined : KNOWN_AGENTS.find((each) => each.name === name)
}

const KNOWN_AGENTS: readonly KnownAgent[] = [...TRANSCRIPT_AGENTS, ...UNREADABLE_AGENTS]

/** "This is a transcript of Claude Code: pawl import claude FILE", or that such a one cannot be imported. */
export function otherAgentWords(agent: KnownAgent, file: string): string {
  const { name, title } = agent
  return isReadable(agent)
    ? `This is a transcript of ${title}: pawl import ${name} ${shellWord(file)}`
    : `This is a transcript of ${title}: ${NOT_READ}.`
}

const NOT_READ = 'those cannot be imported'

function isReadable(agent: KnownAgent): agent is Agent {
  return 'reader' in agent
}

/** One line for all files of one other agent: whoever names a folder of another agent would get hundreds. */
export function otherAgentLines(
  results: readonly { readonly otherAgent?: string; readonly file: string }[],
  named: readonly NamedFiles[],
): readonly string[] {
  return KNOWN_AGENTS.flatMap((agent) => {
    const files = results.filter(({ otherAgent }) => otherAgent === agent.name).map(({ file }) => file)
    const [first] = files
    if (first === undefined) return []
    if (!isReadable(agent))
      return [
        files.length === 1
          ? `${first} is a transcript of ${agent.title}: ${NOT_READ}.`
          : `${counted(files.length, 'file')} are transcripts of ${agent.title}: ${NOT_READ}.`,
      ]
    if (files.length === 1) return [otherAgentWords(agent, first)]
    const words = named.flatMap(({ path, files: all }) => {
      const own = all.filter((file) => files.includes(file))
      const again = foundOf(agent, path)
      if (own.length > 0 && own.every((file) => again.includes(file))) return [path]
      // A folder is not enough where its files are not called as this agent calls them.
      return own.length <= FILES_NAMED_MAX ? own : [join(path, '**', '*.json*')]
    })
    const line = `pawl import ${agent.name} ${words.map(shellWord).join(' ')}`
    return [`${counted(files.length, 'file')} are transcripts of ${agent.title}: ${line}`]
  })
}

const FILES_NAMED_MAX = 3

/** What a person named, and the files that were found there. */
export interface NamedFiles {
  readonly path: string
  readonly files: readonly string[]
}

/** The files that a path names; where there are none of this agent but some of another, that is the error. */
export async function filesOf(agent: Agent, path: string): Promise<readonly string[]> {
  try {
    return transcriptFiles(agent, path)
  } catch (error) {
    if (!(error instanceof PawlError) || error.code !== 'transcript.none') throw error
    const others = TRANSCRIPT_AGENTS.filter((each) => each !== agent)
    const files = new Set(others.flatMap((each) => foundOf(each, path)))
    const found = await firstOther([...files].slice(0, FILES_LOOKED_AT_MAX), agent)
    if (!found) throw error
    const { other, file } = found
    const whole = isReadable(other) && foundOf(other, path).includes(file) ? path : file
    const way = isReadable(other) ? `pawl import ${other.name} ${shellWord(whole)}` : `${NOT_READ}.`
    const sentence = `There are no transcripts of ${agent.title} in ${path}, but there are some of ${other.title}: ${way}`
    throw new PawlError('transcript.other-agent', sentence, { value: path, cause: error })
  }
}

const FILES_LOOKED_AT_MAX = 20

/** The first file of another agent; one that can be read before one that cannot. */
async function firstOther(
  files: readonly string[],
  taken: Agent,
): Promise<{ readonly other: KnownAgent; readonly file: string } | undefined> {
  let unreadable: { readonly other: KnownAgent; readonly file: string } | undefined
  for (const file of files) {
    const other = await otherAgentOf(file, taken)
    if (other && isReadable(other)) return { other, file }
    if (other) unreadable ??= { other, file }
  }
  return unreadable
}

function foundOf(agent: Agent, path: string): readonly string[] {
  try {
    return transcriptFiles(agent, path)
  } catch {
    return []
  }
}
