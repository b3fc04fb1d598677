/** Whether a value is the id of a key that opens nothing without another half, which mostly stands beside it. */
export function isKeyId(value: unknown): boolean {
  return typeof value === 'string' && KEY_ID.test(value)
}

/** Whether a value beside such an id may be that half. */
export function isKeyHalf(value: unknown): boolean {
  return typeof value === 'string' && KEY_HALF.test(value)
}

const KEY_ID = /^(?:(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}|SK[a-f0-9]{32})$/

/** Of AWS 40 characters of base64, of Twilio 32 letters and digits. */
const KEY_HALF = /^(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=\D*\d)[A-Za-z0-9/+=]{32,40}$/
