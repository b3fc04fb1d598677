// LangGraph.js in the loop that Pawl is measured with: the agent's turn, then the check, again and again. Each is a node, so each
// has its checkpoint; the state keeps a history that grows by 1 KB an iteration, as a conversation does.
//
//   node langgraph-loop.mjs PATH ITERATIONS   prints a LoopTiming
//   node langgraph-loop.mjs                   ends well when it could do that
import { Annotation, END, START, StateGraph } from '@langchain/langgraph'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import Database from 'better-sqlite3'
import { databaseBytes } from '../database-bytes.ts'
import { kilobyteText } from '../kilobyte-text.ts'
import { WARM_UP_ITERATIONS, warmUp } from '../warm-up.ts'

const [path, iterations] = process.argv.slice(2)
if (path === undefined) {
  new Database(':memory:').close()
} else {
  await warmUp((round) => timedLoop(`${path}.warm-up-${round}`, WARM_UP_ITERATIONS))
  const durationMs = await timedLoop(path, Number(iterations))
  process.stdout.write(JSON.stringify({ durationMs, bytes: databaseBytes(path) }))
}

async function timedLoop(file, iterationsMax) {
  const database = new Database(file)
  // LangGraph itself chooses WAL and leaves `synchronous` alone, which would then be FULL.
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = NORMAL')
  const graph = loopGraph(iterationsMax).compile({ checkpointer: new SqliteSaver(database) })
  const startedAt = performance.now()
  // Two supersteps an iteration, and a few to begin and end with.
  const config = { configurable: { thread_id: 'bench' }, recursionLimit: iterationsMax * 2 + 10 }
  const { history } = await graph.invoke({}, config)
  const durationMs = performance.now() - startedAt
  if (history.length !== iterationsMax) throw new Error(`The graph ended after ${history.length} iterations.`)
  database.close()
  return durationMs
}

function loopGraph(iterationsMax) {
  const state = Annotation.Root({
    iteration: Annotation({ reducer: (_before, after) => after, default: () => 0 }),
    history: Annotation({ reducer: (before, after) => before.concat(after), default: () => [] }),
    failure: Annotation(),
  })
  return new StateGraph(state)
    .addNode('work', ({ iteration }) => ({ iteration: iteration + 1, history: [kilobyteText(iteration + 1)] }))
    .addNode('check', () => ({ failure: 'login > returns a numeric user id: expected "7" to be 7' }))
    .addEdge(START, 'work')
    .addEdge('work', 'check')
    .addConditionalEdges('check', ({ iteration }) => (iteration < iterationsMax ? 'work' : END))
}
