import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { withParents } from './command-target.ts'

// How to install a package that wasn't found. `undefined` if no manifest of the project declares it: then the agent must fix it.

/** For Node: only if nothing at all is installed. */
export async function nodePackageFix(module: string, cwd: string): Promise<string | undefined> {
  const name = /^(?:@[\w.~-]+\/)?[\w.~-]+/.exec(module)?.[0]
  if (name === undefined || /^[./]|^node:/.test(module)) return undefined
  let isDeclared = false
  for (const folder of withParents(cwd)) {
    if ((await stat(join(folder, 'node_modules')).catch(() => undefined)) !== undefined) return undefined
    isDeclared ||= isInPackageJson(await textOf(join(folder, 'package.json')), name)
  }
  return isDeclared ? installWith('npm install') : undefined
}

function isInPackageJson(text: string, name: string): boolean {
  try {
    const manifest = JSON.parse(text) as Record<string, Record<string, unknown> | undefined>
    return ['dependencies', 'devDependencies', 'optionalDependencies'].some((field) => manifest[field]?.[name] !== undefined)
  } catch {
    // No readable package.json: it declares nothing.
    return false
  }
}

/** For Python: a module is often called otherwise than what is installed. */
export async function pythonPackageFix(module: string, cwd: string): Promise<string | undefined> {
  const own = distribution(module)
  const names = new Set([own, `python-${own}`, `py${own}`, `${own}-binary`, DISTRIBUTIONS[own]])
  for (const folder of withParents(cwd)) {
    for (const file of ['requirements.txt', 'requirements-dev.txt']) {
      const lines = (await textOf(join(folder, file))).split('\n')
      if (lines.some((line) => names.has(distribution(line)))) return installWith(`pip install -r ${file}`)
    }
    const wanted = await inPyproject(await textOf(join(folder, 'pyproject.toml')))
    if (wanted.some((each) => names.has(distribution(each)))) return installWith('pip install -e .')
  }
  return undefined
}

/** What modules are installed as, where neither the name nor a prefix says so. */
const DISTRIBUTIONS: Readonly<Record<string, string | undefined>> = {
  attr: 'attrs',
  bs4: 'beautifulsoup4',
  crypto: 'pycryptodome',
  cv2: 'opencv-python',
  git: 'gitpython',
  mysqldb: 'mysqlclient',
  pil: 'pillow',
  skimage: 'scikit-image',
  sklearn: 'scikit-learn',
}

/** `Flask_Login[x]>=1` is `flask-login`; empty for a comment or an option. */
function distribution(requirement: string): string {
  const name = /^\s*([A-Za-z0-9][\w.-]*)/.exec(requirement)?.[1] ?? ''
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-')
}

/** The requirements of a pyproject.toml: those of the project, its extras and groups, and those of Poetry. */
async function inPyproject(text: string): Promise<readonly string[]> {
  if (text === '') return []
  try {
    const { parse } = await import('smol-toml')
    const { project = {}, tool = {}, 'dependency-groups': groups } = parse(text) as Manifest
    const { poetry = {} } = tool
    const ofPoetry = [poetry, ...Object.values(poetry.group ?? {})].flatMap((each) => [
      ...Object.keys(each.dependencies ?? {}),
      ...Object.keys(each['dev-dependencies'] ?? {}),
    ])
    const listed = [project.dependencies, ...Object.values({ ...project['optional-dependencies'], ...groups })].flat()
    return [...listed.filter((each) => typeof each === 'string'), ...ofPoetry]
  } catch {
    // Nobody can install from what isn't valid.
    return []
  }
}

interface Manifest {
  readonly project?: {
    readonly dependencies?: readonly unknown[]
    readonly 'optional-dependencies'?: Readonly<Record<string, readonly unknown[]>>
  }
  readonly 'dependency-groups'?: Readonly<Record<string, readonly unknown[]>>
  readonly tool?: { readonly poetry?: Poetry & { readonly group?: Readonly<Record<string, Poetry>> } }
}

interface Poetry {
  readonly dependencies?: object
  readonly 'dev-dependencies'?: object
}

/** For Go: the version in its message comes from go.mod, directly or not. */
export async function goPackageFix(cwd: string): Promise<string | undefined> {
  return (await isDeclaredIn(cwd, 'go.mod', /^\s*(?:require\b|\S+ v\d)/m)) ? installWith('go mod download') : undefined
}

/** For Rust: cargo names only what Cargo.toml asks for, directly or not. */
export async function rustPackageFix(cwd: string): Promise<string | undefined> {
  return (await isDeclaredIn(cwd, 'Cargo.toml', /^\[.*dependencies\b/m)) ? installWith('cargo fetch') : undefined
}

/** For Ruby: a gem that the Gemfile names; without a name any, since Bundler names only what the Gemfile asks for, directly or not. */
export async function rubyPackageFix(cwd: string, name = '[^"\']+'): Promise<string | undefined> {
  const pattern = new RegExp(String.raw`^\s*gem\s*\(?\s*["']${name}["']`, 'm')
  return (await isDeclaredIn(cwd, 'Gemfile', pattern)) ? installWith('bundle install') : undefined
}

async function isDeclaredIn(cwd: string, file: string, pattern: RegExp): Promise<boolean> {
  const texts = await Promise.all(withParents(cwd).map((folder) => textOf(join(folder, file))))
  return texts.some((text) => pattern.test(text))
}

/** Empty for a file that can't be read. */
async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}

function installWith(command: string): string {
  return `Install the dependencies (${command}, or the project's own way), then resume.`
}
