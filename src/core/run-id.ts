import { PawlError } from './pawl-error.ts'

/** Gives a run id back when it can also be a git ref and a folder name; throws `run.bad-id` otherwise. */
export function checkedRunId(run: string): string {
  if (typeof run !== 'string')
    throw new PawlError('run.bad-id', 'A run needs a name, by which it is resumed: give one, such as run("fix-login").', {
      value: run,
    })
  const isPlain = /^[a-z0-9][a-z0-9._-]{0,99}$/i.test(run)
  if (isPlain && !run.includes('..') && !run.endsWith('.lock') && !run.endsWith('.')) return run
  const rule = 'use letters, digits, ".", "_" and "-", beginning with a letter or digit, at most 100'
  throw new PawlError('run.bad-id', `"${run}" cannot be the name of a run: ${rule}.`, { value: run })
}
