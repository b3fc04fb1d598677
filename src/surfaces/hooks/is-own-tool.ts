/** Whether the tool is one of Pawl's own: those are counted as iterations. */
export function isOwnTool(name: string): boolean {
  return /^mcp_.*pawl/i.test(name)
}
