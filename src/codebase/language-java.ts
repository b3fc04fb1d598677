import { kindsIn, type LanguageRules, type SyntaxNode } from './language.ts'

/** Java. An import is a dotted name; `*` at its end stands for all of a package. */
export const java: LanguageRules = {
  containers: new Set(
    kindsIn(
      'class_declaration class_body interface_declaration interface_body enum_declaration enum_body',
      'enum_body_declarations record_declaration annotation_type_declaration annotation_type_body field_declaration ERROR',
    ),
  ),
  declarations: {
    class_declaration: 'class',
    interface_declaration: 'type',
    enum_declaration: 'type',
    record_declaration: 'class',
    annotation_type_declaration: 'type',
    method_declaration: 'method',
    constructor_declaration: 'method',
    variable_declarator: 'variable',
    enum_constant: 'constant',
  },
  imports: {
    import_declaration: (node) => [node.text().replaceAll(/^import\s+(?:static\s+)?|[;\s]/g, '')],
  },
  scopes: { package_declaration: packageOf },
  hasScopes: true,
  names: ['identifier', 'type_identifier'],
}

function packageOf(node: SyntaxNode): string {
  const name = node.children().find((child) => child.kind() === 'scoped_identifier' || child.kind() === 'identifier')
  return name?.text() ?? ''
}
