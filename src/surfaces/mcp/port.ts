import { PawlError } from '../../core/pawl-error.ts'

/** Where `pawl mcp --http` listens, unless told otherwise. */
export const PORT_DEFAULT = 7295

/** A port as it was written; 0 takes one that is free. Throws `usage.port` for what cannot be one. */
export function portIn(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= PORT_MAX) return Number(text)
  throw new PawlError('usage.port', `--port takes a whole number from 0 to ${PORT_MAX}, not "${text}".`, { value: text })
}

const PORT_MAX = 65_535
