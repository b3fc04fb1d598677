import type { SecretSpan } from './spans.ts'

/**
 * Finds secrets by the rules of secretlint's recommended preset, loaded when first needed. The rules are called without `@secretlint/core`: its
 * comment filter lets a text switch the search off (`secretlint-disable`), it leaks memory with each call and costs ten times as much.
 */
export async function findBySecretlint(text: string): Promise<readonly SecretSpan[]> {
  rules ??= loadRules()
  const spans: SecretSpan[] = []
  for (const { meta, create } of await rules) {
    const kind = meta.id.replace(/^.*secretlint-rule-/, '')
    await create(
      {
        sharedOptions: {},
        createTranslator: () => (messageId) => ({ message: String(messageId), messageId, data: {} }),
        report: ({ range: [start, end] }) => spans.push({ start, end, kind }),
        ignore: () => undefined,
      },
      {},
    ).file?.({ content: text, contentType: 'text', ext: '', hasBOM: false })
  }
  return spans
}

let rules: Promise<readonly Rule[]> | undefined

async function loadRules(): Promise<readonly Rule[]> {
  const preset = (await import('@secretlint/secretlint-rule-preset-recommend')) as unknown as { rules: readonly Rule[] }
  return preset.rules.filter(({ meta }) => !meta.id.endsWith('filter-comments'))
}

/** As much of secretlint's types as is used here; the package that has them comes only with its core. */
interface Rule {
  readonly meta: { readonly id: string }
  create(context: Context, options: object): { file?(source: object): void | Promise<void> }
}

interface Context {
  readonly sharedOptions: object
  createTranslator(): (messageId: unknown) => object
  report(found: { readonly range: readonly [number, number] }): void
  ignore(): void
}
