import { kindsIn, fieldText, unquoted, type LanguageRules, type Named, type SyntaxNode } from './language.ts'

const NAMES = ['identifier', 'type_identifier', 'field_identifier']

/** C and most of C++. Both branches of a condition of the preprocessor are read. */
export const c: LanguageRules = {
  containers: new Set(
    kindsIn(
      'preproc_if preproc_ifdef preproc_else preproc_elif preproc_elifdef linkage_specification ERROR',
      'namespace_definition declaration_list template_declaration declaration type_definition',
      'class_specifier struct_specifier union_specifier field_declaration_list',
    ),
  ),
  declarations: {
    function_definition: (node) => declared(node, 'function'),
    declaration: (node) => declared(node, 'variable'),
    field_declaration: (node) => declared(node, 'variable').filter(({ kind }) => kind === 'method' || kind === 'function'),
    type_definition: (node) => declared(node, 'type').map(({ name }) => ({ name, kind: 'type' })),
    struct_specifier: (node) => withBody(node, 'class'),
    class_specifier: (node) => withBody(node, 'class'),
    union_specifier: (node) => withBody(node, 'type'),
    enum_specifier: (node) => withBody(node, 'type'),
    alias_declaration: 'type',
    namespace_definition: 'module',
    concept_definition: 'type',
    preproc_def: 'constant',
    preproc_function_def: 'function',
  },
  imports: { preproc_include: (node) => [unquoted(fieldText(node, 'path') ?? '')] },
  names: NAMES,
}

/** C++, whose grammar tells namespaces apart from other names. */
export const cpp: LanguageRules = { ...c, names: [...NAMES, 'namespace_identifier'] }

/** `struct point p;` only mentions a struct; one with a body declares it. */
function withBody(node: SyntaxNode, kind: Named['kind']): readonly Named[] {
  const name = fieldText(node, 'name')
  return name !== undefined && node.field('body') ? [{ name, kind }] : []
}

/** The names inside of pointers, arrays, references and parameter lists. */
function declared(node: SyntaxNode, kind: Named['kind']): readonly Named[] {
  return node.fieldChildren('declarator').flatMap((each) => {
    let inner: SyntaxNode | null = each
    let found = kind
    for (let depth = 0; inner && depth < DECLARATOR_DEPTH_MAX; depth++) {
      const step = inner.kind()
      if (step === 'function_declarator') found = 'function'
      if (NAME_KINDS.has(step)) return [{ name: inner.text(), kind: found }]
      // `reference_declarator` and `parenthesized_declarator` hold theirs without naming the field.
      inner =
        step === 'qualified_identifier'
          ? inner.field('name')
          : (inner.field('declarator') ?? inner.children().find(isDeclarator) ?? null)
    }
    return []
  })
}

const DECLARATOR_DEPTH_MAX = 12
const NAME_KINDS: ReadonlySet<string> = new Set(
  kindsIn('identifier field_identifier type_identifier destructor_name operator_name'),
)

function isDeclarator(node: SyntaxNode): boolean {
  return /declarator$|identifier$/.test(node.kind())
}
