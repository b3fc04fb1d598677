import type { State } from '../../core/state.ts'
import type { ResearchSettings } from './settings.ts'

/** What a specialist is called in displays: `ExploreAgent` for `explore`. */
export function roleTitle({ config }: State, role: string): string {
  const { roles } = config.loop.settings as unknown as ResearchSettings
  return roles?.[role]?.name ?? role
}
