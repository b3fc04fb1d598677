/** The lines of `pawl.yaml` that give a guard these settings and this severity. */
export function guardLines(
  guard: string,
  settings: Readonly<Record<string, number>>,
  severity: 'warn' | 'trip' | 'ladder',
): string {
  if (guard === 'maxIterations') return `max_iterations: ${settings['iterationsMax']}`
  const values = Object.entries(settings).map(([name, value]) => `${fileName(name)}: ${value}`)
  // The severity is written down, since a line in the file replaces what stood there.
  const map = values.length === 0 ? severity : `{ ${[...values, `severity: ${severity}`].join(', ')} }`
  return `guards:\n  ${fileName(guard)}: ${map}`
}

/** `repeatsMin` is `repeats_min` in files. */
function fileName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
