import { PawlError } from '../core/pawl-error.ts'

/** Throws `check.KIND.FIELD`: the sentence begins with the field and says what it must be. */
export function refuseField(kind: string, field: string, wanted: string, value: unknown): never {
  throw new PawlError(`check.${kind}.${field}`, `${field} must be ${wanted}, not ${shown(value)}.`, { value })
}

/** Refuses a name that is not one line of text. */
export function requireName(kind: string, name: unknown): void {
  if (typeof name !== 'string' || name.trim() === '' || name.includes('\n')) refuseField(kind, 'name', 'one line of text', name)
}

function shown(value: unknown): string {
  const text = value === undefined ? 'missing' : (JSON.stringify(value) ?? String(value))
  return text.length > 80 ? `${text.slice(0, 80).toWellFormed()}…` : text
}
