import type { InputRequiredResult } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import type { Author } from '../../core/event.ts'
import type { Workshop } from './workshop.ts'

/** What a tool knows of the call besides its arguments. */
export interface Call {
  readonly workshop: Workshop
  /** Aborted when the client no longer waits. */
  readonly signal: AbortSignal
  /** The agent, by the name its client gives itself. */
  readonly by: Author
  /** Tells a client that asked for it what is being done. */
  readonly onProgress: (line: string) => void
  /** Whether a person can be asked through the client. */
  readonly canElicit: boolean
  /** What the person said, when the call comes back with it. */
  readonly inputResponses: Record<string, unknown> | undefined
}

/** One tool of the server: what clients read about it, and what it does. */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly output: Output
  /** Set when it changes nothing. */
  readonly isReadOnly?: true
  call(args: z.output<Input>, call: Call): Promise<z.input<Output> | InputRequiredResult>
}

/** A tool whose arguments and result are known to the compiler. */
export function tool<Input extends z.ZodObject, Output extends z.ZodObject>(definition: Tool<Input, Output>): Tool {
  return definition as unknown as Tool
}
