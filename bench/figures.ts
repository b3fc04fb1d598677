import type { Figure } from './figure.ts'
import { agentMemory } from './figures/agent-memory.ts'
import { agentOverhead } from './figures/agent-overhead.ts'
import { cliStart } from './figures/cli-start.ts'
import { engineOverhead } from './figures/engine-overhead.ts'
import { flat10000 } from './figures/flat-10000.ts'
import { fleetPostgres, fleetSqlite } from './figures/fleet.ts'
import { guardsAll } from './figures/guards-all.ts'
import { guardsFlat } from './figures/guards-flat.ts'
import { hook10000 } from './figures/hook-10000.ts'
import { hookRoundFigure } from './figures/hook-round.ts'
import { langgraphSize } from './figures/langgraph-size.ts'
import { langgraphSpeed } from './figures/langgraph-speed.ts'
import { postgresAppend } from './figures/postgres-append.ts'
import { proofCost } from './figures/proof-cost.ts'
import { ledgerCost } from './figures/ledger-cost.ts'
import { ledgerFlat } from './figures/ledger-flat.ts'
import { mcpNext } from './figures/mcp-next.ts'
import { oddsSize } from './figures/odds-size.ts'
import { oddsSpeed } from './figures/odds-speed.ts'
import { reportJunit } from './figures/report-junit.ts'
import { reportTap } from './figures/report-tap.ts'
import { reportsMemory } from './figures/reports-memory.ts'
import { reportsSpeed } from './figures/reports-speed.ts'
import { researchEstimateCold, researchEstimateWarm } from './figures/research-estimate.ts'
import { researchIntegrate, researchIntegrateGrowth } from './figures/research-integrate.ts'
import { researchVerify } from './figures/research-verify.ts'
import { resume10000 } from './figures/resume-10000.ts'
import { sandboxStart, sandboxSuite } from './figures/sandbox.ts'
import { pageDiff, pageGrid, pageList, pageRun } from './figures/page.ts'
import { serveList, serveWatched } from './figures/serve.ts'
import { similarity1Mb } from './figures/similarity-1-mb.ts'
import { similarityDecision } from './figures/similarity-decision.ts'
import { similaritySpeed } from './figures/similarity-speed.ts'

/** All figures, in the order they are measured. */
export const FIGURES: readonly Figure[] = [
  engineOverhead,
  langgraphSpeed,
  langgraphSize,
  flat10000,
  resume10000,
  cliStart,
  hookRoundFigure,
  hook10000,
  ledgerFlat,
  ledgerCost,
  postgresAppend,
  proofCost,
  sandboxStart,
  sandboxSuite,
  fleetSqlite,
  fleetPostgres,
  serveList,
  serveWatched,
  pageList,
  pageRun,
  pageGrid,
  pageDiff,
  similaritySpeed,
  similarity1Mb,
  similarityDecision,
  guardsAll,
  oddsSpeed,
  oddsSize,
  guardsFlat,
  reportsSpeed,
  reportTap,
  reportJunit,
  reportsMemory,
  mcpNext,
  agentOverhead,
  agentMemory,
  researchEstimateCold,
  researchEstimateWarm,
  researchVerify,
  researchIntegrate,
  researchIntegrateGrowth,
]
