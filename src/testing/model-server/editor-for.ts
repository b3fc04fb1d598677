import { objectIn, textIn } from './json-reading.ts'
import type { ModelAnswer } from './reply.ts'

type Call = NonNullable<ModelAnswer['call']>

export interface FileEdit {
  readonly file: string
  /** What the file says now. */
  readonly content: string
  readonly from: string
  readonly to: string
}

/** How a file is read and changed with the tools of one agent. */
export interface Editor {
  read(file: string): Call
  edit(edit: FileEdit): Call
  /** Whether a call was about this file, as far as this editor makes it. */
  isAbout(file: string, call: Call): boolean
}

/** The way to read and change files with these tools; undefined when none of them is known. */
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

/** Claude Code, Gemini CLI and Qwen Code take the same arguments, and Gemini one more, which the others refuse. */
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

/** Codex, OpenCode and pi, with a shell; the file is written as a whole, which needs no program that a machine may lack. */
function shellEditor(call: (command: string) => Call, field: string): Editor {
  return {
    read: (file) => call(`cat ${quoted(file)}`),
    edit: ({ file, content, from, to }) => call(`printf %s ${quoted(content.replace(from, () => to))} > ${quoted(file)}`),
    isAbout: (file, { name, input }) => name === call('').name && textIn(objectIn(input)[field]).includes(quoted(file)),
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
