/**
 * Whether a value can be a secret at all. Short ones, plain words (`disabled`), files and addresses without a password are what variables with
 * such names hold instead of one, and taking them out would leave holes in every text.
 */
export function isSecretValue(value: string): boolean {
  if (value.length < SECRET_LENGTH_MIN || PLAIN_WORD.test(value)) return false
  return !(PATH.test(value) || ADDRESS.test(value)) || LONG_RUN.test(value)
}

/**
 * Whether a value reads as something that is no secret by itself: a host with or without its port, a number, a file. Only a name says that
 * the value of a variable is secret, and names are wrong at times.
 */
export function isOpenValue(value: string): boolean {
  return NUMBER.test(value) || FILE.test(value) || isHost(value)
}

/** Whether a variable holds the fingerprints of public keys, as those of many images do; other secrets may be as long and as hexadecimal. */
export function isFingerprint(name: string, value: string): boolean {
  return (
    NAME_OF_FINGERPRINT.test(name) &&
    value
      .trim()
      .split(/[\s,;]+/)
      .every((entry) => FINGERPRINT.test(entry))
  )
}

const NAME_OF_FINGERPRINT = /(?:^|_)(?:GPG|PGP)_(?:SIGNING_)?KEYS?$/i
const FINGERPRINT = /^(?:0x)?[0-9a-f]{40}$/i

function isHost(value: string): boolean {
  const [, host = '', port = '0'] = HOST.exec(value) ?? NAME_AND_PORT.exec(value) ?? []
  return host !== '' && Number(port) <= PORT_MAX && !LONG_RUN.test(host)
}

const PORT_MAX = 65_535
const SECRET_LENGTH_MIN = 8

const PLAIN_WORD = /^[A-Za-z]?[a-z]{0,19}$|^[A-Z]{1,20}$/
const PATH = /^(?:~|\.{1,2})?\/[^+=\s]*$|^[A-Za-z]:\\/
const ADDRESS = /^[a-z][\w+.-]*:\/\/[^\s@]*$/i

/** Of no more digits than what is counted or measured has. */
const NUMBER = /^[-+]?\d{1,15}(?:\.\d{1,15})?$/

/** `keys/service.json`: base64 has no dot. */
const FILE = /^(?:[\w-][\w.-]*\/)+[\w.-]*\.[a-z]{1,5}$/

/** Numbers with dots, an IPv6 address in brackets, `localhost`, or a name that ends as those of hosts do. */
const HOST =
  /^(\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]+\]|localhost|(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|app|ai|cloud|local|internal|lan|svc|test|example|invalid|[a-z]{2}))(?::(\d{1,5}))?$/
const NAME_AND_PORT = /^([a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*):(\d{2,5})$/

/** Hardly a folder has such a name; a secret may begin as a path does. */
const LONG_RUN = /(?<![A-Za-z0-9+])(?=[A-Za-z0-9+]*[a-z])(?=[A-Za-z0-9+]*[A-Z])(?=[A-Za-z0-9+]*[0-9])[A-Za-z0-9+]{20,}/
