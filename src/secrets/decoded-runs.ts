/** A stretch of a text that may be base64, and what it reads as then. */
export interface DecodedRun {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** All that may be base64 in a text. What is encoded twice, as in a secret of Kubernetes, shows only so. */
export function decodedRuns(text: string): readonly DecodedRun[] {
  return Array.from(text.matchAll(RUN), ({ 0: whole, 1: run = '', index }) => {
    const end = index + whole.length
    return { start: end - run.length, end, text: Buffer.from(run, 'base64').toString('latin1') }
  })
}

/** The shortest secret has eight characters, and sixteen when it is encoded twice. The letter of an escaped line end is none of them. */
const RUN = /(?:(?<=\\)[nrt])?([\w+/-]{16,}={0,2})/g
