import { kindsIn, fieldText, type LanguageRules } from './language.ts'

/** C#. An import is the namespace, or the type, that a `using` names. */
export const csharp: LanguageRules = {
  containers: new Set(
    kindsIn(
      'namespace_declaration file_scoped_namespace_declaration declaration_list class_declaration struct_declaration',
      'interface_declaration record_declaration field_declaration variable_declaration ERROR',
    ),
  ),
  declarations: {
    class_declaration: 'class',
    struct_declaration: 'class',
    record_declaration: 'class',
    interface_declaration: 'type',
    enum_declaration: 'type',
    delegate_declaration: 'type',
    method_declaration: 'method',
    constructor_declaration: 'method',
    property_declaration: 'variable',
    variable_declarator: 'variable',
  },
  imports: {
    using_directive: (node) => [
      node
        .text()
        .replace(/^(?:global\s+)?using\s+(?:static\s+|unsafe\s+)*/, '')
        .replaceAll(/^[^=]*=|[;\s]/g, ''),
    ],
  },
  scopes: {
    namespace_declaration: (node) => fieldText(node, 'name') ?? '',
    file_scoped_namespace_declaration: (node) => fieldText(node, 'name') ?? '',
  },
  hasScopes: true,
  names: ['identifier'],
}
