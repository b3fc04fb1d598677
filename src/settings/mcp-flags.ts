/** A flag of `pawl mcp`. */
export interface McpFlag {
  readonly type: 'boolean' | 'string'
  readonly short?: string
  /** What its value is called in the help. */
  readonly value?: string
  readonly about: string
}

/** Where `pawl mcp --http` listens, unless told otherwise. */
export const MCP_PORT_DEFAULT = '7295'

/** The flags of `pawl mcp`, in the order of the help: for the server itself and for `pawl help mcp`. */
export const MCP_FLAGS = {
  http: { type: 'boolean', about: 'over streamable HTTP instead, for clients that know your token' },
  port: {
    type: 'string',
    value: 'N',
    about: `where to listen with --http (default ${MCP_PORT_DEFAULT}; 0 takes a free one)`,
  },
  socket: { type: 'string', value: 'PATH', about: 'over HTTP on a socket that only you can use' },
  'relay-answers': {
    type: 'boolean',
    about: "let the agent hand in a person's answer even where its client cannot ask the person",
  },
  'allow-agent-commands': { type: 'boolean', about: "let the agent's rules run any command, without your consent" },
} as const satisfies Readonly<Record<string, McpFlag>>
