import type { RoleRule } from './research-rules.ts'

const TIMEOUT_MS = 600_000

/** The specialists and the base of their prompts. */
export const DEFAULT_ROLES: Readonly<Record<string, RoleRule>> = {
  explore: {
    name: 'ExploreAgent',
    subagentType: 'Explore',
    description:
      'You are ExploreAgent, specialized in codebase discovery: which parts there are, what each does and how they connect.',
    model: 'fast',
    timeoutMs: TIMEOUT_MS,
    keywords: [],
    isAlwaysIncluded: true,
  },
  citation: {
    name: 'CitationAgent',
    subagentType: 'Citation',
    description:
      'You are CitationAgent, specialized in evidence: for every statement the exact file, line and words that show it.',
    model: 'fast',
    timeoutMs: TIMEOUT_MS,
    keywords: [],
    isAlwaysIncluded: true,
  },
  pattern: {
    name: 'PatternAgent',
    subagentType: 'Pattern',
    description:
      'You are PatternAgent, specialized in recurring structures: conventions, design patterns, and where they are broken.',
    model: 'fast',
    timeoutMs: TIMEOUT_MS,
    keywords: ['pattern', 'convention', 'consistent', 'style', 'architecture'],
    isAlwaysIncluded: false,
  },
  verification: {
    name: 'VerificationAgent',
    subagentType: 'Plan',
    description:
      'You are the verification agent: you settle what others disagree about by looking at every relevant source yourself.',
    model: 'deep',
    timeoutMs: TIMEOUT_MS,
    keywords: [],
    isAlwaysIncluded: false,
  },
  security: {
    name: 'SecurityAgent',
    subagentType: 'Security',
    description:
      'You are SecurityAgent, specialized in security: trust boundaries, authentication, secrets, and what could be abused.',
    model: 'deep',
    timeoutMs: TIMEOUT_MS,
    keywords: ['authentication', 'authorization', 'security', 'encryption', 'password', 'token', 'credential', 'oauth'],
    isAlwaysIncluded: false,
  },
  performance: {
    name: 'PerformanceAgent',
    subagentType: 'Performance',
    description: 'You are PerformanceAgent, specialized in performance: hot paths, needless work, and what grows with the data.',
    model: 'deep',
    timeoutMs: TIMEOUT_MS,
    keywords: ['slow', 'bottleneck', 'optimization', 'performance', 'latency', 'throughput'],
    isAlwaysIncluded: false,
  },
}
