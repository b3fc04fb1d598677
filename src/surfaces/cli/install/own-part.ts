import { basename } from 'node:path'
import type { AgentFile, HookGroup, Server } from './agent-files.ts'
import { withField, withItem, without } from './jsonc-edit.ts'
import { jsoncTree, jsoncValue } from './jsonc-tree.ts'
import { hasTomlServer, withTomlServer, withoutTomlServer } from './toml-server.ts'

/** The file with our part in it; `undefined` stands for a file that is not there. Everything else stays byte for byte. */
export function withOwnPart(file: AgentFile, text: string | undefined): string {
  switch (file.kind) {
    case 'text':
      return file.text
    case 'toml':
      return hasTomlServer(text ?? '', file.path) ? (text ?? '') : withTomlServer(text ?? '', file.path, file.server)
    case 'hooks':
      return withGroups(file.path, json(text), file.groups)
    case 'server':
      return withServer(file.path, json(text), file.server)
    case 'settings':
      return withServer(file.path, withGroups(file.path, json(text), file.groups), file.server)
  }
}

/** The file without our part, whoever else has changed it since. */
export function withoutOwnPart(file: AgentFile, text: string): string {
  switch (file.kind) {
    case 'text':
      return text
    case 'toml':
      return withoutTomlServer(text)
    default: {
      if (text.trim() === '') return text
      let rest = text
      for (let before = ''; before !== rest;) {
        before = rest
        rest = without(rest, file.path, (node, at) => isOwn(at, jsoncValue(node)))
      }
      return rest
    }
  }
}

/** Whether a file without our part has a server called `pawl` all the same: one that somebody set up by hand, which stays. */
export function hasOthersServer(file: AgentFile, text: string | undefined): boolean {
  if (file.kind === 'toml') return hasTomlServer(text ?? '', file.path)
  if (file.kind === 'text' || file.kind === 'hooks') return false
  const { mcpServers } = jsoncValue(jsoncTree(json(text), file.path)) as { mcpServers?: { pawl?: unknown } }
  return mcpServers?.pawl !== undefined
}

/** Whether nothing is left in it that anybody wrote: no field, no comment. */
export function isBare(file: AgentFile, text: string): boolean {
  const rest = text.trim()
  return rest === '' || (file.kind !== 'toml' && /^\{\s*\}$/.test(rest))
}

/** Whether a file holds something of ours. */
export function hasOwnPart(file: AgentFile, text: string): boolean {
  return file.kind === 'text' ? text === file.text : withoutOwnPart(file, text) !== text
}

function json(text: string | undefined): string {
  return text === undefined || text.trim() === '' ? '{}\n' : text
}

function withGroups(path: string, text: string, groups: readonly HookGroup[]): string {
  return groups.reduce((whole, { event, group }) => withItem(whole, path, ['hooks', event], group), text)
}

/** A server of that name that somebody set up otherwise is theirs, and stays. */
function withServer(path: string, text: string, server: Server): string {
  const { mcpServers } = jsoncValue(jsoncTree(text, path)) as { mcpServers?: { pawl?: unknown } }
  return mcpServers?.pawl === undefined ? withField(text, path, ['mcpServers', 'pawl'], server) : text
}

function isOwn(at: readonly string[], value: unknown): boolean {
  const [first, second] = at
  if (first === 'mcpServers') return at.length === 2 && second === 'pawl' && isOwnServer(value)
  if (first !== 'hooks') return false
  if (at.length === 3) {
    const { hooks } = (value ?? {}) as { hooks?: unknown }
    return Array.isArray(hooks) && hooks.length > 0 && hooks.every(isOwnHandler)
  }
  return at.length === 5 && at[3] === 'hooks' && isOwnHandler(value)
}

function isOwnHandler(value: unknown): boolean {
  const { command } = (typeof value === 'object' && value !== null ? value : {}) as { command?: unknown }
  return typeof command === 'string' && /(?:^|[/'"\s])pawl['"]? hook (?:claude|codex|gemini|qwen)$/.test(command)
}

function isOwnServer(value: unknown): boolean {
  const { command, args } = (typeof value === 'object' && value !== null ? value : {}) as { command?: unknown; args?: unknown }
  return (
    typeof command === 'string' && basename(command) === 'pawl' && Array.isArray(args) && args.length === 1 && args[0] === 'mcp'
  )
}
