/** A place of its own for a program: what is put before its command, and the folder it works in there. */
export interface Box {
  /** Programs and arguments that come before the command and start it inside. */
  readonly prefix: readonly string[]
  readonly cwd: string
}
