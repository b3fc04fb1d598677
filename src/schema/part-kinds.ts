import { having, listOf } from './kinds.ts'

/** What may stand for a loop. */
export const LOOP = having('a loop, such as taskLoop({ goal: "…" })', 'spec', 'effects', 'decide')

/** What may stand for a guard. */
export const GUARD = having('a guard, such as maxIterations(8)', 'spec', 'inspect')

/** What may stand for the guards of a run. */
export const GUARDS = listOf('a list of guards, such as [maxIterations(8)]', GUARD)

/** What may stand for an agent. */
export const AGENT = having('an agent, such as commandAgent({ command: ["claude", "-p"] })', 'spec', 'work')

/** What may stand for a check. */
export const CHECK = having('a check, such as commandCheck({ name: "tests", command: ["npm", "test"] })', 'name', 'spec', 'run')

/** What may stand for a workspace. */
export const WORKSPACE = having('a workspace, such as gitWorkspace({ path: "." })', 'spec', 'open', 'observe')

/** What may stand for a codebase. */
export const CODEBASE = having('a codebase, such as folderCodebase({ path: "." })', 'spec', 'estimate', 'verify')

/** What may stand for a store. */
export const STORE = having('a store, such as sqliteStore({ path: ".pawl/pawl.db" })', 'append', 'read', 'claim')
