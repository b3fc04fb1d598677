// junit2json on a whole report: what most people read JUnit's XML with in Node.
//
//   node junit2json-parse.mjs PATH   prints the processor time of each round in milliseconds, as a list
//   node junit2json-parse.mjs        ends well when it could do that
import { readFileSync } from 'node:fs'
import { parse } from 'junit2json'

const WARM_UP_ROUNDS = 1
const ROUNDS = 3

const [path] = process.argv.slice(2)
if (path === undefined) {
  await parse('<testsuites></testsuites>')
} else {
  const text = readFileSync(path, 'utf8')
  const durationsMs = []
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    const before = process.threadCpuUsage()
    const report = await parse(text)
    const { user, system } = process.threadCpuUsage(before)
    if (report === undefined || report === null) throw new Error('junit2json read nothing.')
    if (round >= WARM_UP_ROUNDS) durationsMs.push((user + system) / 1000)
  }
  process.stdout.write(JSON.stringify(durationsMs))
}
