import { kindsIn, fieldText, unquoted, type LanguageRules, type SyntaxNode } from './language.ts'

/** Go. */
export const go: LanguageRules = {
  containers: new Set(
    kindsIn('import_declaration import_spec_list const_declaration var_declaration var_spec_list type_declaration ERROR'),
  ),
  declarations: {
    function_declaration: 'function',
    method_declaration: 'method',
    type_spec: 'type',
    type_alias: 'type',
    const_spec: (node) => namesOf(node).map((name) => ({ name, kind: 'constant' })),
    var_spec: (node) => namesOf(node).map((name) => ({ name, kind: 'variable' })),
  },
  imports: { import_spec: (node) => [unquoted(fieldText(node, 'path') ?? '')] },
  hasScopes: true,
  names: ['identifier', 'type_identifier', 'field_identifier', 'package_identifier'],
}

function namesOf(node: SyntaxNode): readonly string[] {
  return node
    .fieldChildren('name')
    .filter((each) => each.kind() === 'identifier')
    .map((each) => each.text())
}
