/**
 * A filter of system calls, as bubblewrap takes it, against what leads around the box's namespaces: AF_VSOCK, which reaches the host of a
 * virtual machine, the keys of the user's session, and io_uring, which opens sockets past a filter. `undefined` for an unknown processor.
 */
export function callFilter(arch: string): Buffer | undefined {
  const known = PROCESSORS[arch]
  if (!known) return undefined
  const { audit, socket, refused } = known
  const allowed = FIRST_REFUSED + refused.length
  const [noSocket, noCall] = [allowed + 1, allowed + 2]
  const steps: readonly Step[] = [
    [LOAD, ARCHITECTURE],
    // Programs for other processors have other numbers.
    [IF_EQUAL, audit, 2, noCall],
    [LOAD, NUMBER],
    [IF_AT_LEAST, X32_NUMBERS, noCall, 4],
    [IF_EQUAL, socket, 5, FIRST_REFUSED],
    [LOAD, FIRST_ARGUMENT],
    [IF_EQUAL, AF_VSOCK, noSocket, allowed],
    ...refused.map((number, index): Step => [IF_EQUAL, number, noCall, FIRST_REFUSED + index + 1]),
    [RETURN, ALLOW],
    [RETURN, REFUSE | EAFNOSUPPORT],
    [RETURN, REFUSE | ENOSYS],
  ]
  return Buffer.concat(steps.map(encoded))
}

/** An instruction, its operand, and for a comparison the steps that follow if it is true and if it isn't. */
type Step = readonly [code: number, operand: number, ifTrue?: number, ifFalse?: number]

function encoded([code, operand, ifTrue, ifFalse]: Step, index: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(ifTrue === undefined ? 0 : ifTrue - index - 1, 2)
  bytes.writeUInt8(ifFalse === undefined ? 0 : ifFalse - index - 1, 3)
  bytes.writeUInt32LE(operand, 4)
  return bytes
}

/** The numbers of `socket`, and of `add_key`, `request_key`, `keyctl` and `io_uring_setup`. */
const PROCESSORS: Readonly<Record<string, { audit: number; socket: number; refused: readonly number[] }>> = {
  x64: { audit: 0xc000003e, socket: 41, refused: [248, 249, 250, 425] },
  arm64: { audit: 0xc00000b7, socket: 198, refused: [217, 218, 219, 425] },
}

const [LOAD, IF_EQUAL, IF_AT_LEAST, RETURN] = [0x20, 0x15, 0x35, 0x06]
const [NUMBER, ARCHITECTURE, FIRST_ARGUMENT] = [0, 4, 16]
const [ALLOW, REFUSE, EAFNOSUPPORT, ENOSYS] = [0x7fff0000, 0x00050000, 97, 38]
const X32_NUMBERS = 0x40000000
const AF_VSOCK = 40
const FIRST_REFUSED = 7
