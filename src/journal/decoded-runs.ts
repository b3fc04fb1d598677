/** A stretch of a text that may be base64, and what it reads as then. */
export interface DecodedRun {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** All that may be base64 in a text. What is encoded twice, as in a secret of Kubernetes, shows only so. */
export function decodedRuns(text: string): readonly DecodedRun[] {
  return Array.from(text.matchAll(RUN), ({ 0: run, index }) => {
    return { start: index, end: index + run.length, text: Buffer.from(run, 'base64').toString('latin1') }
  })
}

/** The shortest secret has eight characters, and sixteen when it is encoded twice. */
const RUN = /[\w+/-]{16,}={0,2}/g
