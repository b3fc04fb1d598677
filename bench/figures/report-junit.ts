import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { junit } from '../../src/checks/reports/junit.ts'
import { alternated } from '../alternated.ts'
import { atLeast } from '../bound.ts'
import { childProgram } from '../child-program.ts'
import type { Figure } from '../figure.ts'
import { largeReport } from '../large-report.ts'
import { median } from '../median.ts'
import { preparedPeers } from '../prepared-peers.ts'
import { processorMs } from '../processor-ms.ts'
import { saxesElements } from '../saxes-elements.ts'
import { withTemporaryFolder } from '../temporary-folder.ts'
import { milliseconds, significant, spread } from '../wording.ts'

const ROUNDS = 15
const PEER = 'peers/junit2json-parse.mjs'

/**
 * How much faster 10 MB of JUnit's XML become a report than a list of their elements, made with saxes, which we use; or than what
 * junit2json makes of them, if that is less.
 */
export const reportJunit: Figure = {
  name: 'report-junit',
  bound: atLeast(1),
  measure: async (say) => {
    const peers = await preparedPeers(say, PEER)
    if (peers.status === 'unavailable') return { status: 'unmeasured', reason: peers.reason }
    say(`10 MB of JUnit's XML, saxes and Pawl in turn, ${ROUNDS} times; then junit2json`)
    const text = largeReport('junit')
    const { ones, others, ratios, ratio } = await alternated(
      ROUNDS,
      () => processorMs(() => saxesElements(text)),
      () => processorMs(() => junit(text)),
    )
    const peerMs = await withTemporaryFolder(async (folder) => {
      const path = join(folder, 'report.xml')
      writeFileSync(path, text)
      return (await childProgram(PEER, [path])) as readonly number[]
    })
    const peerRatio = median(peerMs) / median(others)
    const details = [
      `Pawl ${milliseconds(median(others))}, saxes ${milliseconds(median(ones))} of processor time (medians of ${ROUNDS}, ratios ${spread(ratios)}): saxes' side only lists every element with its attributes and text; Pawl names 20,000 tests and describes ${junit(text)?.failures.length} failures.`,
      `junit2json ${peerVersion()} ${milliseconds(median(peerMs))} in a process of its own, warmed up: ${significant(peerRatio)} times Pawl.`,
      `The value is the smaller of the two ratios.`,
    ]
    return { status: 'measured', value: Math.min(ratio, peerRatio), details }
  },
}

function peerVersion(): string {
  const text = readFileSync(join(import.meta.dirname, '../peers/node_modules/junit2json/package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
