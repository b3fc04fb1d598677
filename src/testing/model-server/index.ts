export {
  sinceUser,
  type ModelAnswer,
  type ModelApi,
  type ModelFault,
  type ModelMessage,
  type ModelReply,
  type ModelToolCall,
  type ModelToolResult,
  type ModelTurn,
  type ModelUsage,
} from './api.ts'
export { fixesFile, type FileStep, type FixesFileOptions } from './fixes-file.ts'
export { modelServer, type ModelRequest, type ModelServer, type ModelServerOptions } from './model-server.ts'
