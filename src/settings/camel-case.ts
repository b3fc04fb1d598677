/** `failures_max`, as files have it, is `failuresMax` in programs. */
export function camelCase(key: string): string {
  return key.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase())
}
