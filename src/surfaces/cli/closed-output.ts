import { EXIT } from './exit-codes.ts'

/**
 * Whoever reads our output may leave early (`pawl log RUN | head`), or the terminal may be closed; that is no error. Looking ends
 * there. A run that is being driven goes on unwatched, for its journal has everything.
 */
export function mindClosedOutput(isDriving: boolean): void {
  const mind = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
    if (!isDriving) process.exit(EXIT.done)
  }
  process.stdout.on('error', mind)
  process.stderr.on('error', mind)
}
