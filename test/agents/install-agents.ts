import { installOnce } from '../support/install-once.ts'

/** Before all tests: brings the agents into `node_modules` of this folder, once. */
export async function setup(): Promise<void> {
  await installOnce(import.meta.dirname, 'the agents for test/agents (half a gigabyte, a minute or two)')
}
