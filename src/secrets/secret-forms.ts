/** A secret as it may be written in a text: as it is, escaped as JSON in JSON, as in addresses and forms, and as in XML and HTML. */
export function writtenForms(secret: string): readonly string[] {
  if (NOTHING_TO_ESCAPE.test(secret)) return [secret]
  const once = escaped(secret)
  return unique([
    secret,
    once,
    escaped(once),
    escaped(escaped(once)),
    once.replaceAll('/', '\\/'),
    ...addressForms(secret.toWellFormed()).flatMap((form) => [form, withSmallDigits(form)]),
    ...markupForms(secret).flatMap((form) => [form, escaped(form)]),
  ])
}

const NOTHING_TO_ESCAPE = /^[\w.-]+$/

/** Reports in XML hold a secret so; writers differ in what they escape and how. */
function markupForms(secret: string): readonly string[] {
  return Object.entries(MARKUP).reduce<readonly string[]>(
    (forms, [sign, written]) =>
      secret.includes(sign) ? forms.flatMap((form) => written.map((by) => form.replaceAll(sign, by))) : forms,
    [secret],
  )
}

/** `&` first: it is in all the others. */
const MARKUP: Readonly<Record<string, readonly string[]>> = {
  '&': ['&amp;'],
  '<': ['&lt;'],
  '>': ['&gt;', '>'],
  '"': ['&quot;', '"', '&#34;', '&#x22;'],
  "'": ['&apos;', "'", '&#39;', '&#x27;', '&#039;'],
}

/** Nobody agrees on which signs have to be encoded. */
function addressForms(secret: string): readonly string[] {
  const component = encodeURIComponent(secret)
  const strict = component.replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  const ofForm = new URLSearchParams([['', secret]]).toString().slice(1)
  return [component, strict, strict.replaceAll('%2F', '/'), strict.replaceAll('%20', '+'), ofForm, encodeURI(secret)]
}

/** A secret as it is encoded, and the characters of base64 beside it that hold the bits of its first and its last byte. */
export interface EncodedForm {
  readonly form: string
  /** Those that may stand before it; none where it begins with a character of its own. */
  readonly lettersBefore: string
  readonly lettersAfter: string
}

/**
 * The same in base64 and hexadecimal, as it stands within anything that was encoded together with it (`Basic` of `USER:SECRET`): of base64
 * the characters that hold nothing but the secret, at each of the three places where it can begin.
 */
export function encodedForms(secret: string): readonly EncodedForm[] {
  const bytes = Buffer.from(secret)
  const hexadecimal = bytes.toString('hex')
  const inBase64 = [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.from(`${'\0'.repeat(before)}${secret}`).toString('base64')
    const [start, end] = [Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)]
    const beside = {
      lettersBefore: before === 0 ? '' : lettersLike(encoded.charAt(start - 1), before === 1 ? 0b00_1111 : 0b00_0011),
      lettersAfter: lettersLike(encoded.charAt(end), [0, 0b11_0000, 0b11_1100][(before + bytes.length) % 3] ?? 0),
    }
    return base64Forms(encoded.slice(start, end)).map((form) => ({ form, ...beside }))
  })
  const alone = { lettersBefore: '', lettersAfter: '' }
  return [...inBase64, { form: hexadecimal, ...alone }, { form: hexadecimal.toUpperCase(), ...alone }]
}

function base64Forms(form: string): readonly string[] {
  if (!form.includes('+') && !form.includes('/')) return [form]
  const inAddress = encodeURIComponent(form)
  return unique([
    form,
    form.replaceAll('+', '-').replaceAll('/', '_'),
    form.replaceAll('/', '\\/'),
    inAddress,
    withSmallDigits(inAddress),
  ])
}

/** The characters of base64 that hold the same bits as this one where the mask is set; none where it is not set at all. */
function lettersLike(letter: string, mask: number): string {
  if (mask === 0) return ''
  const bits = BASE64.indexOf(letter) & mask
  const like = Array.from(BASE64).filter((_, index) => (index & mask) === bits)
  return like.map((each) => IN_ADDRESSES[each] ?? each).join('')
}

const IN_ADDRESSES: Readonly<Record<string, string>> = { '+': '+-', '/': '/_' }
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** `%2f` for `%2F`. */
function withSmallDigits(encoded: string): string {
  return encoded.replaceAll(/%[0-9A-F]{2}/g, (digits) => digits.toLowerCase())
}

function unique(forms: readonly string[]): readonly string[] {
  return [...new Set(forms)]
}
