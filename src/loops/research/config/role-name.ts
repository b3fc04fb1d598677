import { DEFAULT_ROLES, type RoleRule } from '../rules.ts'

/** `ExploreAgent`, `explore-agent` and `Explore` are the role `explore`; the verification agent is also called `Plan`. */
export function roleName(given: string): string {
  const short = given.replace(/[\s_-]*agent$/i, '').toLowerCase()
  return short === 'plan' ? 'verification' : short
}

/** A role of the user's own, with what a file left out. */
export function wholeRole(role: string, given: Partial<RoleRule>): Partial<RoleRule> {
  if (Object.hasOwn(DEFAULT_ROLES, role)) return given
  const description = `You are the specialist for ${role}.`
  return { name: role, subagentType: role, description, model: 'fast', keywords: [], isAlwaysIncluded: false, ...given }
}
