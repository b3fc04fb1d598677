/** `finding-001`: a name with a number, in which names sort as numbers do up to 999. */
export function idFrom(name: string, number: number): string {
  return `${name}-${String(number).padStart(3, '0')}`
}
