import type { Policy } from '../../src/evidence/backtest/policy.ts'
import { codingAgents } from './coding-agents.ts'
import { consecutiveFailures } from './consecutive-failures.ts'
import { deerFlow } from './deer-flow.ts'
import { frankbria } from './frankbria.ts'
import { geminiCli } from './gemini-cli.ts'
import { maximumOnly } from './maximum-only.ts'
import { openclaw } from './openclaw.ts'
import { openhands } from './openhands.ts'
import { ralphctl } from './ralphctl.ts'
import { seedGuards } from './seed-guards.ts'
import { simpleRules } from './simple-rules.ts'
import { stella } from './stella.ts'

/** What others do, as policies: the field to be measured against. Each says which of its rules recorded loops cannot exercise. */
export const baselines: readonly Policy[] = [
  ...maximumOnly,
  ...consecutiveFailures,
  ...simpleRules,
  ...openhands,
  ...geminiCli,
  ...codingAgents,
  ...deerFlow,
  ...stella,
  ...openclaw,
  ...ralphctl,
  ...frankbria,
  ...seedGuards,
]
