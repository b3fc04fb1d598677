export type { AiSdkAgentOptions, ModelAgentOptions, ModelPlace, Prices, ToolSetName } from '../agent-settings.ts'
export { aiSdkAgent, modelAgent } from './ai-sdk-agent.ts'
