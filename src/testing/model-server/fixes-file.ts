import { readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { PawlError } from '../../core/pawl-error.ts'
import { type ModelAnswer, type ModelTurn, sinceUser } from './api.ts'
import { objectIn, textIn } from './read-json.ts'

/** One change of a file: replaces `from` by `to` if the file contains it. */
export interface FileStep {
  readonly from: string
  readonly to: string
}

export interface FixesFileOptions {
  /** An absolute path, because the script reads it too. */
  readonly file: string
  /** The next step is the first one whose `from` is in the file. */
  readonly steps: readonly FileStep[]
  /** What it says after a change, or if no step is left. Default `Done.`. */
  readonly say?: string
}

/**
 * The usual script for `modelServer`: it reads the file, makes the next change, and says that it is done. When asked again (by
 * a person, or by a hook that doesn't let it stop) it makes the following one. If it knows none of the offered tools, it only
 * talks.
 */
export function fixesFile({ file, steps, say = 'Done.' }: FixesFileOptions): (turn: ModelTurn) => ModelAnswer {
  if (!isAbsolute(file)) {
    throw new PawlError('model-server.bad-option', `fixesFile: file must be an absolute path, not ${file}.`, { value: file })
  }
  return (turn) => {
    const editor = editorFor(turn.tools)
    const content = readFileSync(file, 'utf8')
    const step = steps.find(({ from }) => content.includes(from))
    if (!editor || !step) return { say }
    // A script around this one may have called other tools in between.
    const calls = sinceUser(turn).flatMap((message) => message.calls.filter((call) => editor.isAbout(file, call)))
    if (calls.length > 1) return { say }
    return { call: calls.length === 0 ? editor.read(file) : editor.edit({ file, content, ...step }) }
  }
}

type Call = NonNullable<ModelAnswer['call']>

export interface FileEdit {
  readonly file: string
  /** The file's current content. */
  readonly content: string
  readonly from: string
  readonly to: string
}

/** How to read and change a file with one agent's tools. */
export interface Editor {
  read(file: string): Call
  edit(edit: FileEdit): Call
  /** Whether a call made by this editor was about this file. */
  isAbout(file: string, call: Call): boolean
}

/** An editor for these tools; undefined if none of them is known. */
export function editorFor(tools: readonly string[]): Editor | undefined {
  return EDITORS.find(([names]) => names.every((name) => tools.includes(name)))?.[1]
}

const EDITORS: readonly (readonly [tools: readonly string[], editor: Editor])[] = [
  [['exec_command'], shellEditor((command) => ({ name: 'exec_command', input: { cmd: command } }), 'cmd')],
  [['Read', 'Edit'], replacingEditor('Read', 'Edit')],
  [['read_file', 'replace'], replacingEditor('read_file', 'replace', { instruction: 'Makes the change.' })],
  [['read_file', 'edit'], replacingEditor('read_file', 'edit')],
  [['bash'], shellEditor((command) => ({ name: 'bash', input: { command, description: 'Works on a file' } }), 'command')],
]

/** Claude Code, Gemini CLI and Qwen Code take the same arguments. Gemini takes one more, which the others refuse. */
function replacingEditor(readTool: string, editTool: string, more: Readonly<Record<string, string>> = {}): Editor {
  return {
    read: (file) => ({ name: readTool, input: { file_path: file } }),
    edit: ({ file, from, to }) => ({
      name: editTool,
      input: { file_path: file, ...more, old_string: from, new_string: to },
    }),
    isAbout: (file, { name, input }) => (name === readTool || name === editTool) && objectIn(input)['file_path'] === file,
  }
}

/** Codex, OpenCode and pi have a shell. It writes the whole file, because other programs may be missing. */
function shellEditor(call: (command: string) => Call, field: string): Editor {
  return {
    read: (file) => call(`cat ${quote(file)}`),
    edit: ({ file, content, from, to }) => call(`printf %s ${quote(content.replace(from, () => to))} > ${quote(file)}`),
    isAbout: (file, { name, input }) => name === call('').name && textIn(objectIn(input)[field]).includes(quote(file)),
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
