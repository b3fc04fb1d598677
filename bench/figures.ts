import type { Figure } from './figure.ts'
import { cliStart } from './figures/cli-start.ts'
import { engineOverhead } from './figures/engine-overhead.ts'
import { flat10000 } from './figures/flat-10000.ts'
import { langgraphSize } from './figures/langgraph-size.ts'
import { langgraphSpeed } from './figures/langgraph-speed.ts'
import { resume10000 } from './figures/resume-10000.ts'

/** All figures, in the order they are measured. */
export const FIGURES: readonly Figure[] = [engineOverhead, langgraphSpeed, langgraphSize, flat10000, resume10000, cliStart]
