import type { SecretSpan } from './secret-span.ts'

/**
 * Finds secrets by the rules of secretlint's recommended preset, loaded when first needed. The rules are called without
 * `@secretlint/core`: its comment filter lets a text switch the search off (`secretlint-disable`), it leaks a few kilobytes
 * of performance marks a call, and it costs ten times as much for a short text.
 */
export async function findSecretsBySecretlint(text: string): Promise<SecretSpan[]> {
  scanner ??= loadScanner()
  return await (
    await scanner
  )(text)
}

type Scanner = (text: string) => Promise<SecretSpan[]>

let scanner: Promise<Scanner> | undefined

async function loadScanner(): Promise<Scanner> {
  const { rules } = (await import('@secretlint/secretlint-rule-preset-recommend')) as unknown as { rules: readonly Rule[] }
  const scanning = rules.filter((rule) => !rule.meta.id.endsWith('filter-comments'))

  return async (text) => {
    const spans: SecretSpan[] = []
    for (const rule of scanning) {
      const kind = rule.meta.id.replace(/^.*secretlint-rule-/, '')
      const context: RuleContext = {
        sharedOptions: {},
        createTranslator: () => (messageId) => ({ message: String(messageId), messageId: String(messageId), data: {} }),
        report: ({ range: [start, end] }) => spans.push({ start, end, kind }),
        ignore: () => undefined,
      }
      await rule.create(context, {}).file?.(asSource(text))
    }
    return spans
  }
}

/** As much of secretlint's types as is used here; the package that has them comes only with its core. */
interface Rule {
  readonly meta: { readonly id: string }
  create(context: RuleContext, options: object): { file?(source: ReturnType<typeof asSource>): void | Promise<void> }
}

interface RuleContext {
  readonly sharedOptions: object
  createTranslator(): (messageId: unknown) => { message: string; messageId: string; data: object }
  report(found: { readonly range: readonly [number, number] }): void
  ignore(): void
}

/** What a rule may ask of a source. */
function asSource(text: string) {
  return {
    hasBOM: false,
    content: text,
    filePath: undefined,
    physicalFilePath: undefined,
    contentType: 'text' as const,
    ext: '',
    getFilePath: () => undefined,
    getPhysicalFilePath: () => undefined,
    locationToRange: noPosition,
    rangeToLocation: noPosition,
    positionToIndex: noPosition,
    indexToPosition: noPosition,
  }
}

/** Lines and columns are for those who print findings. */
function noPosition(): never {
  throw new Error('A secretlint rule asked for a line and column; only ranges are known here.')
}
