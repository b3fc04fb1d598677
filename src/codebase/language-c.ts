import {
  fieldText,
  folderOf,
  joinPath,
  kindsIn,
  type LanguageRules,
  type Named,
  type Resolve,
  type Surroundings,
  type SyntaxNode,
  unquoted,
} from './language.ts'

const NAMES = ['identifier', 'type_identifier', 'field_identifier']

/** C and most of C++. Reads both branches of preprocessor conditions. */
export const c: LanguageRules = {
  extensions: 'c',
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
  owners: { function_definition: (node) => /(\w+)(?:<[^>]*>)?::~?\w+\s*\(/.exec(fieldText(node, 'declarator') ?? '')?.[1] },
  imports: { preproc_include: (node) => [unquoted(fieldText(node, 'path') ?? '')] },
  names: NAMES,
  resolver: resolveC,
}

/** C++. A header may be in either language, and the C++ grammar reads nearly all of C. */
export const cpp: LanguageRules = {
  ...c,
  extensions: 'h hh hpp hxx cc cpp cxx c++ inl ipp tpp ino cu cuh',
  names: [...NAMES, 'namespace_identifier'],
}

/** `struct point p;` only mentions a struct; with a body it declares one. */
function withBody(node: SyntaxNode, kind: Named['kind']): readonly Named[] {
  const name = fieldText(node, 'name')
  return name !== undefined && node.field('body') ? [{ name, kind }] : []
}

/** The names inside pointers, arrays, references and parameter lists. */
function declared(node: SyntaxNode, kind: Named['kind']): readonly Named[] {
  return node.fieldChildren('declarator').flatMap((each) => {
    let inner: SyntaxNode | null = each
    let found = kind
    for (let depth = 0; inner && depth < DECLARATOR_DEPTH_MAX; depth++) {
      const step = inner.kind()
      if (step === 'function_declarator') found = 'function'
      if (NAME_KINDS.has(step)) return [{ name: inner.text(), kind: found }]
      // `reference_declarator` and `parenthesized_declarator` don't name the field.
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

/**
 * Resolves includes: from the file's own folder, the root and its usual folders, otherwise the nearest header whose path ends
 * the same way.
 */
function resolveC({ paths }: Surroundings): Resolve {
  const byName = new Map<string, string[]>()
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf('/') + 1)
    const same = byName.get(name)
    if (same) same.push(path)
    else byName.set(name, [path])
  }
  return (from, specifier) => {
    const places = [folderOf(from.path), '', 'include', 'src'].map((folder) => joinPath(folder, specifier))
    const direct = places.find((each) => each !== undefined && paths.has(each))
    if (direct !== undefined) return [direct]
    const bare = specifier.replaceAll(/^(?:\.\.?\/)+/g, '')
    const ending = (byName.get(bare.slice(bare.lastIndexOf('/') + 1)) ?? []).filter((path) => path.endsWith(`/${bare}`))
    const nearest = ending.toSorted(
      (one, other) => shared(other, from.path) - shared(one, from.path) || (one < other ? -1 : 1),
    )[0]
    return nearest === undefined ? [] : [nearest]
  }
}

/** How many leading steps two paths share. */
function shared(one: string, other: string): number {
  const steps = other.split('/')
  const index = one.split('/').findIndex((step, place) => step !== steps[place])
  return index === -1 ? steps.length : index
}
