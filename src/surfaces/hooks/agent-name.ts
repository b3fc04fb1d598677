/** The agents whose hooks are understood. */
export const AGENT_NAMES = ['claude', 'codex', 'gemini', 'qwen'] as const

export type AgentName = (typeof AGENT_NAMES)[number]

/** Whether it is one of them. */
export function isAgentName(name: string | undefined): name is AgentName {
  return AGENT_NAMES.some((each) => each === name)
}
