/** Reads JSON with comments and trailing commas, as `tsconfig.json` has them; `undefined` where it is neither. */
export function parseJsonc(text: string): unknown {
  const bare = text
    .replaceAll(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, quoted: string | undefined) => quoted ?? '')
    .replaceAll(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, (_, quoted: string | undefined) => quoted ?? '')
  try {
    return JSON.parse(bare)
  } catch {
    // A broken configuration leads nowhere; whoever needs it is told by their own tools.
    return undefined
  }
}
