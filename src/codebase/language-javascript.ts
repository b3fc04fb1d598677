import { kindsIn, fieldText, unquoted, type LanguageRules, type Named, type SyntaxNode } from './language.ts'

const NAMES = kindsIn(
  'identifier property_identifier private_property_identifier shorthand_property_identifier shorthand_property_identifier_pattern',
)

/** JavaScript, with JSX. What only TypeScript has is here too: a kind of node that a grammar lacks is never met. */
export const javascript: LanguageRules = {
  containers: new Set(
    kindsIn(
      'export_statement lexical_declaration variable_declaration expression_statement ambient_declaration ERROR',
      'class_declaration abstract_class_declaration class class_body internal_module module statement_block',
    ),
  ),
  declarations: {
    function_declaration: 'function',
    generator_function_declaration: 'function',
    function_signature: 'function',
    class_declaration: 'class',
    abstract_class_declaration: 'class',
    method_definition: 'method',
    abstract_method_signature: 'method',
    public_field_definition: (node) => (isFunction(node.field('value')) ? named(node, 'method') : []),
    interface_declaration: 'type',
    type_alias_declaration: 'type',
    enum_declaration: 'type',
    internal_module: 'module',
    variable_declarator: (node) => {
      const isName = node.field('name')?.kind() === 'identifier'
      const value = node.field('value')
      // What is required was declared elsewhere.
      if (!isName || isRequired(value)) return []
      return named(node, isFunction(value) ? 'function' : value?.kind() === 'class' ? 'class' : 'constant')
    },
    assignment_expression: (node) => {
      const name = /^(?:module\.)?exports\.(\w+)$|\.prototype\.(\w+)$/.exec(fieldText(node, 'left') ?? '')
      const value = name?.[1] ?? name?.[2]
      // `exports.x = x` hands out what is declared above.
      return value === undefined || value === fieldText(node, 'right')
        ? []
        : [{ name: value, kind: isFunction(node.field('right')) ? 'function' : 'constant' }]
    },
  },
  imports: { import_statement: (node) => sourceOf(node) ?? requiredBy(node), export_statement: (node) => sourceOf(node) ?? [] },
  scattered: {
    hint: /\b(?:require|import)\s*\(/,
    kind: 'call_expression',
    read: (node) => {
      const callee = fieldText(node, 'function')
      const argument = callee === 'require' || callee === 'import' ? node.field('arguments')?.child(1) : undefined
      return argument?.kind() === 'string' ? [unquoted(argument.text())] : []
    },
  },
  names: NAMES,
}

/** TypeScript, whose grammar tells types apart from other names. */
export const typescript: LanguageRules = { ...javascript, names: [...NAMES, 'type_identifier'] }

function isFunction(node: SyntaxNode | null): boolean {
  return /^(?:arrow_function|function_expression|function|generator_function)$/.test(node?.kind() ?? '')
}

/** `require('x')`, `require('x').y` and `await import('x')`. */
function isRequired(value: SyntaxNode | null): boolean {
  const isCall = /^(?:call_expression|member_expression|await_expression)$/.test(value?.kind() ?? '')
  return isCall && /^(?:await\s+)?(?:require|import)\s*\(/.test(value?.text() ?? '')
}

function named(node: SyntaxNode, kind: Named['kind']): readonly Named[] {
  return [{ name: fieldText(node, 'name') ?? '', kind }]
}

/** An export without `from` has no source. */
function sourceOf(node: SyntaxNode): readonly string[] | undefined {
  const source = node.field('source')
  return source ? [unquoted(source.text())] : undefined
}

/** `import x = require('y')` keeps its source one step further in. */
function requiredBy(node: SyntaxNode): readonly string[] {
  const clause = node.children().find((child) => child.kind() === 'import_require_clause')
  return (clause && sourceOf(clause)) ?? []
}
