import { partLists } from '../../scripts/list-parts.ts'
import type { TextFile } from './traces.ts'

/** Lists of parts that don't say what the folders have. */
export function partListProblems(files: readonly TextFile[]): string[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  return Object.entries(partLists()).flatMap(([path, text]) =>
    texts.get(path) === text ? [] : [`${path}:1: is out of step with the @part comments: run \`npm run parts\`.`],
  )
}
