import { join } from 'node:path'
import { PawlError } from '../../../core/pawl-error.ts'
import { counted } from '../../../core/wording.ts'
import { shellWord } from '../shell-word.ts'

type Agent = (typeof import('../compose.ts'))['TRANSCRIPT_AGENTS'][number]

/** The agent that a file is a transcript of, where that is not the one it was taken for. */
export async function otherAgentOf(file: string, taken: Agent): Promise<Agent | undefined> {
  const { agentOfTranscript, TRANSCRIPT_AGENTS } = await import('../compose.ts')
  const name = await agentOfTranscript(file)
  return name === taken.name ? undefined : TRANSCRIPT_AGENTS.find((each) => each.name === name)
}

/** "This is a transcript of Claude Code: pawl import claude FILE". */
export function otherAgentWords({ name, title }: Agent, file: string): string {
  return `This is a transcript of ${title}: pawl import ${name} ${shellWord(file)}`
}

/** One line for all files of one other agent: whoever names a folder of another agent would get hundreds. */
export async function otherAgentLines(
  results: readonly { readonly otherAgent?: string; readonly file: string }[],
  named: readonly NamedFiles[],
): Promise<readonly string[]> {
  const { transcriptFiles, TRANSCRIPT_AGENTS } = await import('../compose.ts')
  return TRANSCRIPT_AGENTS.flatMap((agent) => {
    const files = results.filter(({ otherAgent }) => otherAgent === agent.name).map(({ file }) => file)
    const [first] = files
    if (first === undefined) return []
    if (files.length === 1) return [otherAgentWords(agent, first)]
    const words = named.flatMap(({ path, files: all }) => {
      const own = all.filter((file) => files.includes(file))
      const again = foundOf(transcriptFiles, agent, path)
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
  const { transcriptFiles, TRANSCRIPT_AGENTS } = await import('../compose.ts')
  try {
    return transcriptFiles(agent, path)
  } catch (error) {
    if (!(error instanceof PawlError) || error.code !== 'transcript.none') throw error
    for (const other of TRANSCRIPT_AGENTS.filter((each) => each !== agent)) {
      const [first] = foundOf(transcriptFiles, other, path)
      if (first === undefined || (await otherAgentOf(first, agent)) !== other) continue
      const sentence = `There are no transcripts of ${agent.title} in ${path}, but there are some of ${other.title}: pawl import ${other.name} ${shellWord(path)}`
      throw new PawlError('transcript.other-agent', sentence, { value: path, cause: error })
    }
    throw error
  }
}

function foundOf(find: (typeof import('../compose.ts'))['transcriptFiles'], agent: Agent, path: string): readonly string[] {
  try {
    return find(agent, path)
  } catch {
    return []
  }
}
