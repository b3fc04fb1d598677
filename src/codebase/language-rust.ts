import { fieldText, type LanguageRules } from './language.ts'

/** Rust. An import is a path of `::`, or `mod NAME` where a file is declared to be a module. */
export const rust: LanguageRules = {
  containers: new Set(['mod_item', 'declaration_list', 'impl_item', 'trait_item', 'ERROR']),
  declarations: {
    function_item: 'function',
    function_signature_item: 'method',
    struct_item: 'class',
    enum_item: 'type',
    union_item: 'type',
    trait_item: 'type',
    type_item: 'type',
    const_item: 'constant',
    static_item: 'variable',
    macro_definition: 'function',
    mod_item: (node) => (node.field('body') ? [{ name: fieldText(node, 'name') ?? '', kind: 'module' }] : []),
  },
  imports: {
    mod_item: (node) => (node.field('body') ? [] : [`mod ${fieldText(node, 'name')}`]),
    use_declaration: (node) => usePaths(fieldText(node, 'argument') ?? ''),
    extern_crate_declaration: (node) => [fieldText(node, 'name') ?? ''],
  },
  names: ['identifier', 'type_identifier', 'field_identifier', 'shorthand_field_identifier'],
}

/** `a::{b, c::{d, self}}` is `a::b`, `a::c::d` and `a::c`. */
function usePaths(tree: string): readonly string[] {
  const bare = tree.replaceAll(/\s+as\s+\w+|\s+/g, '')
  const open = bare.indexOf('{')
  if (open === -1) return [bare.replace(/::(?:\*|self)$/, '')]
  const prefix = bare.slice(0, open)
  return parts(bare.slice(open + 1, bare.lastIndexOf('}'))).flatMap((part) =>
    usePaths(part).map((path) => (path === 'self' || path === '*' ? prefix.replace(/::$/, '') : prefix + path)),
  )
}

/** Splits at the commas that are not inside of braces. */
function parts(list: string): readonly string[] {
  const found: string[] = []
  let depth = 0
  let start = 0
  for (let index = 0; index <= list.length; index++) {
    const character = list[index]
    if (character === '{') depth++
    if (character === '}') depth--
    if (index < list.length && (character !== ',' || depth > 0)) continue
    if (index > start) found.push(list.slice(start, index))
    start = index + 1
  }
  return found
}
