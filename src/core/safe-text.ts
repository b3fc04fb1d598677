/** What moves the cursor, colours the screen or sets its title, as `stripVTControlCharacters` of Node has it. */
const CONTROL_SEQUENCE =
  // oxlint-disable-next-line no-control-regex
  /\u001B\][\s\S]*?(?:\u0007|\u001B\u005C|\u009C)|[\u001B\u009B][[\]()#;?]*(?:\d{1,4}(?:[;:]\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]/g

/** Control characters other than tab and line end, and those that turn the direction of writing. */
// oxlint-disable-next-line no-control-regex
export const UNSAFE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Text of agents and programs that is safe to show: no control sequence, nothing that turns the direction of writing. Line ends stay. */
export function safeText(text: string): string {
  return text.replaceAll(CONTROL_SEQUENCE, '').replaceAll(UNSAFE, '')
}
