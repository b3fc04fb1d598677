import { installOnce } from '../support/install-once.ts'

/** Before all tests: brings the servers into `node_modules` of this folder, once. */
export async function setup(): Promise<void> {
  await installOnce(import.meta.dirname, 'PostgreSQL and Restate for test/fleet (a quarter of a gigabyte)')
}
