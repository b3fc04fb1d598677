/**
 * A path as it stands in a codebase: relative, with `/`, without `.` parts. `undefined` for one that leads out of it or is no path at all. A
 * link that leads out is seen only where the file is opened.
 */
export function pathInside(path: string): string | undefined {
  const plain = path.replaceAll('\\', '/')
  if (plain.startsWith('/') || /^[a-z]:\//i.test(plain) || plain.includes('\0')) return undefined
  const parts = plain.split('/').filter((part) => part !== '' && part !== '.')
  return parts.length === 0 || parts.includes('..') ? undefined : parts.join('/')
}
