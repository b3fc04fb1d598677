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

/**
 * The same in base64 and hexadecimal, as it stands within anything that was encoded together with it (`Basic` of `USER:SECRET`): of base64
 * the characters that hold nothing but the secret, at each of the three places where it can begin.
 */
export function encodedForms(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  const hexadecimal = bytes.toString('hex')
  const inBase64 = [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.from(`${'\0'.repeat(before)}${secret}`).toString('base64')
    const form = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
    if (!form.includes('+') && !form.includes('/')) return [form]
    const inAddress = encodeURIComponent(form)
    return [
      form,
      form.replaceAll('+', '-').replaceAll('/', '_'),
      form.replaceAll('/', '\\/'),
      inAddress,
      withSmallDigits(inAddress),
    ]
  })
  return unique([...inBase64, hexadecimal, hexadecimal.toUpperCase()])
}

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
