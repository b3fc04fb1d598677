import type { Denied, Refusal } from './event-data.ts'
import { counted } from './wording.ts'

/** What a box refused during an iteration, for the brief and the question; `undefined` if nothing. */
export function deniedByBox(refused: readonly Refusal[]): Denied | undefined {
  if (refused.length === 0) return undefined
  const named = refused.slice(0, NAMED_MAX).map(refusalWords).join(', ')
  return {
    calls: refused.length,
    message: `The sandbox refused ${counted(refused.length, 'thing')}: ${named}${refused.length > NAMED_MAX ? ', …' : ''}.`,
    fix: allowingLine(refused),
    isBox: true,
  }
}

const NAMED_MAX = 5

/** "a connection to example.com by curl". */
export function refusalWords({ what, name, program }: Refusal): string {
  const by = program === undefined ? '' : ` by ${program}`
  return what === 'host' ? `a connection to ${name}${by}` : `a write to ${name}${by}`
}

/** The line of pawl.yaml that would allow it. */
export function allowingLine(refused: readonly Refusal[]): string {
  const of = (wanted: Refusal['what']): readonly string[] => [
    ...new Set(refused.flatMap(({ what, allow }) => (what === wanted && allow !== undefined ? [allow] : []))),
  ]
  const [hosts, paths] = [of('host'), of('write')]
  const entries = [
    ...(hosts.length === 0 ? [] : [`allow: [${hosts.join(', ')}]`]),
    ...(paths.length === 0 ? [] : [`writable: [${paths.join(', ')}]`]),
  ]
  const ways = [
    ...(entries.length === 0 ? [] : [`To allow it, write into pawl.yaml: sandbox: { ${entries.join(', ')} }`]),
    ...(refused.some(({ isCheck }) => isCheck)
      ? ['Checks have no network: give a check that needs it `isolation: none` in pawl.yaml.']
      : []),
  ]
  return ways.length === 0 ? 'No setting allows it.' : ways.join('. ')
}
