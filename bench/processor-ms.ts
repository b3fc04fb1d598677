import { collectGarbage } from './collect-garbage.ts'

/**
 * The processor time of this thread that a call takes, in milliseconds: what else the machine does then weighs little. Garbage of
 * what came before is collected first and does not count.
 */
export function processorMs(call: () => unknown): number {
  collectGarbage()
  const before = process.threadCpuUsage()
  call()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
