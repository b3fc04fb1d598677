/** What every child gets from our own environment, where it is set: enough to find programs and files, no secrets. */
const ENVIRONMENT_PASSED_ON: readonly string[] = ['PATH', 'HOME', 'USER', 'LANG', 'LC_*', 'TERM', 'TMPDIR', 'SHELL', 'TZ']

/**
 * The environment of a child: the variables of ours that are in `ENVIRONMENT_PASSED_ON` or named in `names` (`AWS_*` names all
 * that begin so), then `variables`, which win. Variables whose name no shell can hold are left out: the gate could not hand
 * them on.
 */
export function childEnvironment(names: readonly string[], variables: Readonly<Record<string, string>>): Record<string, string> {
  const wanted = [...ENVIRONMENT_PASSED_ON, ...names]
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && isVariableName(name) && wanted.some((each) => matches(name, each))) env[name] = value
  }
  return { ...env, ...variables }
}

/** Whether a shell can hold a variable of this name. */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
}

function matches(name: string, wanted: string): boolean {
  return wanted.endsWith('*') ? name.startsWith(wanted.slice(0, -1)) : name === wanted
}
