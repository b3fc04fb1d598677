import { kindsIn, fieldText, type LanguageRules, type SyntaxNode } from './language.ts'

/** Python; a class body is gone into, a function body is not. */
export const python: LanguageRules = {
  containers: new Set(
    kindsIn(
      'decorated_definition class_definition block expression_statement if_statement else_clause elif_clause',
      'try_statement except_clause finally_clause with_statement ERROR',
    ),
  ),
  declarations: {
    function_definition: 'function',
    class_definition: 'class',
    assignment: (node) => {
      const left = node.field('left')
      return left?.kind() === 'identifier' ? [{ name: left.text(), kind: 'constant' }] : []
    },
    type_alias_statement: (node) => [{ name: fieldText(node, 'left') ?? '', kind: 'type' }],
  },
  imports: {
    import_statement: (node) => node.fieldChildren('name').map(moduleName),
    import_from_statement: (node) => {
      const from = fieldText(node, 'module_name') ?? ''
      const names = node.fieldChildren('name').map(moduleName)
      // `from . import x` may name modules, `from a import b` a module or something in one: the resolver tries both.
      return names.length === 0 ? [`${from}:`] : names.map((name) => `${from}:${name}`)
    },
  },
  names: ['identifier'],
}

/** `a.b as c` is `a.b`. */
function moduleName(node: SyntaxNode): string {
  return fieldText(node, 'name') ?? node.text()
}
