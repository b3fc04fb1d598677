import { join } from 'node:path'
import { printable } from '../../src/present/layout.ts'
import type { CliContext } from '../../src/surfaces/cli/cli-context.ts'

/** A context for tests: what a command writes is kept. */
export interface CollectingContext extends CliContext {
  readonly said: string[]
  readonly warned: string[]
  readonly documents: unknown[]
}

/** A context for a folder; what is painted stays plain. */
export function collectingContext(root: string, isJson = false): CollectingContext {
  const said: string[] = []
  const warned: string[] = []
  const documents: unknown[] = []
  return {
    said,
    warned,
    documents,
    isJson,
    project: { root, configPath: join(root, 'pawl.yaml'), storePath: join(root, '.pawl', 'pawl.db') },
    terminal: {
      isLive: false,
      columns: 100,
      say: (line = '') => void said.push(printable(line)),
      exact: (line) => void said.push(line),
      warn: (line) => void warned.push(printable(line)),
      live: () => {},
      control: () => {},
      json: (value) => void documents.push(structuredClone(value)),
      paint: (_style, text) => text,
    },
  }
}
