import { PawlError } from '../core/pawl-error.ts'
import { type DraftList, parseChecklist, type TaskList, withNames } from './task-list.ts'
import { shortPath, textFile } from './text-file.ts'

/** Reads a file of tasks: a Markdown checklist, or YAML. Everything wrong in it is one error that names each place. */
export async function loadTasks(path: string): Promise<TaskList> {
  const text = await textFile(path)
  const name = shortPath(path)
  if (text === undefined)
    throw new PawlError('usage.no-file', `There is no file ${name}: give one with tasks, in Markdown or YAML.`, { value: path })
  const { tasks, control } = await parsed(path, text, name)
  return { tasks: await withNames(tasks), control }
}

async function parsed(path: string, text: string, name: string): Promise<DraftList> {
  if (isChecklist(path, text)) return parseChecklist(text, name)
  // Only here: yaml takes longer to load than the rest of most commands.
  const { parseTasks } = await import('./parse-tasks.ts')
  return parseTasks(text, name)
}

/** The name says which; if it doesn't, a box does. */
function isChecklist(path: string, text: string): boolean {
  if (/\.(?:md|markdown)$/i.test(path)) return true
  return !/\.(?:ya?ml|json)$/i.test(path) && /^\s*[-*+] \[[ xX]\] /m.test(text)
}
