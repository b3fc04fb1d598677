/** Whether a path below the folder of a `.gitignore` is ignored by it; `undefined` when it says nothing of the path. */
export type IgnoreRules = (path: string, isFolder: boolean) => boolean | undefined

/** Reads the text of a `.gitignore`: the last rule that fits decides, `!` takes a file in again. */
export function ignoreRules(text: string): IgnoreRules {
  const rules = text.split(/\r?\n/).flatMap((line) => ruleOf(line) ?? [])
  return (path, isFolder) => rules.findLast((rule) => (isFolder || !rule.isForFolders) && rule.pattern.test(path))?.ignores
}

interface Rule {
  readonly ignores: boolean
  readonly isForFolders: boolean
  readonly pattern: RegExp
}

function ruleOf(line: string): Rule | undefined {
  const bare = line.replace(/(?<!\\) +$/, '')
  if (bare === '' || bare.startsWith('#')) return undefined
  const ignores = !bare.startsWith('!')
  const glob = (ignores ? bare : bare.slice(1)).replace(/^\\(?=[#!])/, '')
  const isForFolders = glob.endsWith('/')
  const inner = glob.replace(/\/$/, '')
  // A slash inside ties the rule to this folder; without one it fits at every depth.
  const isAnchored = inner.includes('/')
  const pattern = compiled(inner.replace(/^\//, ''), isAnchored)
  return pattern && { ignores, isForFolders, pattern }
}

function compiled(glob: string, isAnchored: boolean): RegExp | undefined {
  const source = glob
    .split('/')
    .map((step) => (step === '**' ? '**' : stepSource(step)))
    .join('/')
    .replaceAll('**/', '(?:.*/)?')
    .replaceAll('/**', '/.*')
  try {
    return new RegExp(`^${isAnchored ? '' : '(?:.*/)?'}${source}$`)
  } catch {
    // A character class that is none: git passes over such a rule too.
    return undefined
  }
}

function stepSource(step: string): string {
  return step.replaceAll(/\\(.)|\*+|\?|\[!?[^\]]+\]|[.+^${}()|[\]\\]/g, (part, escaped: string | undefined) => {
    if (escaped !== undefined) return escaped.replace(/[.*+?^${}()|[\]\\]/, String.raw`\$&`)
    if (part.startsWith('*')) return '[^/]*'
    if (part === '?') return '[^/]'
    if (part.length > 1) return part.replace(/^\[!/, '[^').replaceAll('\\', String.raw`\\`)
    return `\\${part}`
  })
}
