// Written by scripts/list-parts.ts (`npm run parts`) from the `@part` and `@settings` comments: do not edit.
import { COMMAND_AGENT, STREAM_AGENT, ACP_AGENT, MODEL_AGENT } from '../agents/agent-settings.ts'
import { COMMAND_CHECK } from '../checks/command-settings.ts'
import { RULE } from '../checks/rule.ts'

/** The schemas of agents' and checks' settings. */
export const PART_SETTINGS = {
  'command-agent': COMMAND_AGENT,
  'known-agent': STREAM_AGENT,
  'acp-agent': ACP_AGENT,
  'model-agent': MODEL_AGENT,
  'command-check': COMMAND_CHECK,
  rule: RULE,
}
