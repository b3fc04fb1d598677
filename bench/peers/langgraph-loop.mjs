// LangGraph.js in a loop: PATH ITERATIONS, prints a LoopTiming. One superstep an iteration, and a checkpoint after each; the
// state keeps a history that grows by 1 KB each time, as a conversation does. Without arguments it only says that it can run.
import { Annotation, END, START, StateGraph } from '@langchain/langgraph'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import Database from 'better-sqlite3'
import { databaseBytes } from '../database-bytes.ts'
import { kilobyteText } from '../kilobyte-text.ts'

const WARM_UP_ITERATIONS = 100

const State = Annotation.Root({
  iteration: Annotation({ reducer: (_before, after) => after, default: () => 0 }),
  history: Annotation({ reducer: (before, after) => before.concat(after), default: () => [] }),
})

const [path, iterations] = process.argv.slice(2)
if (path === undefined) {
  new Database(':memory:').close()
} else {
  await timedLoop(`${path}.warm-up`, WARM_UP_ITERATIONS)
  const timing = await timedLoop(path, Number(iterations))
  process.stdout.write(JSON.stringify({ ...timing, bytes: databaseBytes(path) }))
}

async function timedLoop(file, iterationsMax) {
  const database = new Database(file)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = NORMAL')
  const graph = new StateGraph(State)
    .addNode('work', ({ iteration }) => ({ iteration: iteration + 1, history: [kilobyteText(iteration + 1)] }))
    .addEdge(START, 'work')
    .addConditionalEdges('work', ({ iteration }) => (iteration < iterationsMax ? 'work' : END))
    .compile({ checkpointer: new SqliteSaver(database) })
  const startedAt = performance.now()
  const { history } = await graph.invoke({}, { configurable: { thread_id: 'bench' }, recursionLimit: iterationsMax + 10 })
  const durationMs = performance.now() - startedAt
  if (history.length !== iterationsMax) throw new Error(`The graph ended after ${history.length} iterations.`)
  const settings = `journal_mode=${database.pragma('journal_mode', { simple: true })}, synchronous=${database.pragma('synchronous', { simple: true })}`
  database.close()
  return { durationMs, settings }
}
