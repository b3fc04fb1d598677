import type { Action } from '../core/action.ts'
import { actionOf, type ToolUse } from '../core/action-of.ts'
import { shortened } from '../core/wording.ts'
import { redactJson } from './filter.ts'

/*
 * What an agent said is shortened here on its way into a fact, and nowhere else: secrets are taken out before the cut. Half of one, or
 * one without the words before it, would not be known for a secret any more.
 */

/** The beginning of a text, at most `lengthMax` characters, without secrets. */
export async function redactedStart(text: string, lengthMax: number): Promise<string> {
  const clean = await redactJson(text)
  return clean.length <= lengthMax ? clean : `${clean.slice(0, lengthMax - 1).toWellFormed()}…`
}

/** The end of a text, at most `lengthMax` characters, without secrets. */
export async function redactedEnd(text: string, lengthMax: number): Promise<string> {
  const clean = await redactJson(text)
  return clean.length <= lengthMax ? clean : `…${clean.slice(1 - lengthMax).toWellFormed()}`
}

/** The beginning of a text as one line, at most `lengthMax` characters, without secrets. */
export async function redactedLine(text: string, lengthMax: number): Promise<string> {
  return shortened(await redactJson(text), lengthMax)
}

/** A call of a tool whose label, for people, holds no part of a secret. */
export async function redactedAction(use: ToolUse): Promise<Action> {
  return actionOf({ ...use, input: await redactJson(use.input) })
}
