// An agent that makes the checks pass without doing the work: it skips the failing test.
// Try it in a copy of the project beside it:
//
//   pawl task "A quantity counts" --agent-command "node ../cheat.mjs" --check "node --test"
import { readFileSync, writeFileSync } from 'node:fs'

const file = 'test/total.test.js'
writeFileSync(file, readFileSync(file, 'utf8').replace("test('a quantity", "test.skip('a quantity"))
console.log('Done! All tests pass.')
