import { hash } from 'node:crypto'
import { inputRequired, type InputRequiredResult, inputResponse } from '@modelcontextprotocol/server'
import { PawlError } from '../../core/pawl-error.ts'
import { shellWord } from '../../core/wording.ts'
import { trustCommands, trustedCommands } from '../../settings/user-files.ts'
import type { McpProject } from './project.ts'
import type { Call } from './tool.ts'

/**
 * Asks for a person's consent to commands of an agent's rules, which run outside the agent's own sandbox: through the client if it can
 * ask. Returns nothing if there is consent, else what the client has to ask first. Throws if nobody can be asked, or the person declined.
 */
export function askForConsent(
  { project, canElicit, inputResponses }: Call,
  commands: readonly string[],
): InputRequiredResult | undefined {
  if (project.allowsAgentCommands || commands.length === 0) return undefined
  const { root, userFolder } = project
  const trusted = trustedCommands(root, userFolder)
  const open = commands.filter((command) => !trusted.includes(command))
  if (open.length === 0) return undefined
  // The key names the commands: consent to some is no consent to others.
  const key = `commands-${hash('sha256', JSON.stringify(open)).slice(0, 16)}`
  if (!canElicit) throw notAllowed(project, open, 'A person has to allow commands')
  const said = inputResponse(inputResponses, key)
  if (said.kind === 'elicit') {
    if (said.action !== 'accept') throw notAllowed(project, open, 'The person declined')
    if (said.content?.['always'] === true) trustCommands(root, [...trusted, ...open], userFolder)
    return undefined
  }
  const lines = [
    'The agent wants Pawl to run as a check, with your rights and outside its sandbox:',
    ...open.map((each) => `  ${each}`),
  ]
  const always = { type: 'boolean' as const, title: 'Always allow in this project', default: false }
  const requestedSchema = { type: 'object' as const, properties: { always } }
  return inputRequired({ inputRequests: { [key]: inputRequired.elicit({ message: lines.join('\n'), requestedSchema }) } })
}

function notAllowed({ root }: McpProject, commands: readonly string[], why: string): PawlError {
  const lines = [
    `The loop wasn't started. ${why}: ${commands.join('; ')}`,
    `Have the person run this in ${root}, then call iteration_start again: pawl trust ${commands.map(shellWord).join(' ')}`,
    'Or leave the rule out: checks in pawl.yaml always run (`pawl init` writes one). `pawl mcp --allow-agent-commands` allows every command.',
  ]
  return new PawlError('mcp.command-not-allowed', lines.join('\n'), { value: commands })
}
