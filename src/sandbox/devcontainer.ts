import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import { parseJsonc } from '../core/json.ts'
import type { ContainerOptions } from './settings.ts'

/** The image that a project's devcontainer.json names or builds, with its variables; `undefined` if there is no such file. */
export function devcontainer(root: string): Pick<ContainerOptions, 'image' | 'build' | 'variables'> | undefined {
  const path = ['.devcontainer/devcontainer.json', '.devcontainer.json']
    .map((each) => join(root, each))
    .find((each) => existsSync(each))
  if (path === undefined) return undefined
  const refuse = (why: string): never => {
    throw new PawlError('config.devcontainer', `${path} ${why}`)
  }
  const file = parseJsonc(readFileSync(path, 'utf8'))
  if (!isMap(file)) return refuse("isn't JSON. Correct it, or set `sandbox: { image: … }` in pawl.yaml.")
  const { image, build, features, dockerComposeFile, containerEnv } = file
  if (dockerComposeFile !== undefined)
    refuse("uses Docker Compose, which Pawl doesn't start. Set `sandbox: { image: … }` in pawl.yaml.")
  if (isMap(features) && Object.keys(features).length > 0)
    refuse(
      'has features, which only its own tool installs. Run `devcontainer build --image-name NAME` and set `sandbox: { image: NAME }` in pawl.yaml.',
    )
  const variables = isMap(containerEnv) ? containerEnv : {}
  const [strange] = Object.entries(variables).find(([, value]) => typeof value !== 'string' || value.includes('${')) ?? []
  if (strange !== undefined)
    refuse(`sets ${strange} from something that Pawl doesn't replace. Set \`sandbox: { image: … }\` in pawl.yaml.`)
  const set = Object.keys(variables).length === 0 ? {} : { variables: variables as Readonly<Record<string, string>> }
  if (typeof image === 'string') return { image, ...set }
  const { dockerfile, context = '.', args, target } = isMap(build) ? build : {}
  if (typeof dockerfile !== 'string' || typeof context !== 'string')
    return refuse('names neither an `image` nor a `build.dockerfile`. Set `sandbox: { image: … }` in pawl.yaml.')
  const from = dirname(path)
  return {
    build: {
      dockerfile: resolve(from, dockerfile),
      context: resolve(from, context),
      ...(isMap(args) ? { args: Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)])) } : {}),
      ...(typeof target === 'string' ? { target } : {}),
    },
    ...set,
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
