import { readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { PawlError } from '../../core/pawl-error.ts'
import { editorFor } from './editor-for.ts'
import type { ModelAnswer } from './reply.ts'
import { type ModelTurn, sinceUser } from './turn.ts'

/** One change of a file: `from`, where the file has it, becomes `to`. */
export interface FileStep {
  readonly from: string
  readonly to: string
}

export interface FixesFileOptions {
  /** Absolute: the script looks at it too. */
  readonly file: string
  /** The first one whose `from` is in the file is the one that is due. */
  readonly steps: readonly FileStep[]
  /** What it says when it has made a change, or when none is due. Default `Done.`. */
  readonly say?: string
}

/**
 * The usual script for `modelServer`: it reads the file, makes the one change that is due, and says that it is done; asked again
 * (by a person, or by a hook that does not let it stop) it makes the next one. Where no tool it knows is offered, it only talks.
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
    // Other tools may have been called in between, by whatever script stands around this one.
    const calls = sinceUser(turn).flatMap((message) => message.calls.filter((call) => editor.isAbout(file, call)))
    if (calls.length > 1) return { say }
    return { call: calls.length === 0 ? editor.read(file) : editor.edit({ file, content, ...step }) }
  }
}
