import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
// The version is pinned, so an unstable interface is stable enough for a test.
import {
  API,
  type Checker,
  ElementFlags,
  ModifierFlags,
  NodeBuilderFlags,
  type Signature,
  SignatureKind,
  type Symbol,
  SymbolFlags,
  type Type,
  TypeFlags,
  type TupleType,
  type TypeReference,
  type UnionOrIntersectionType,
} from 'typescript/unstable/sync'
import { byText, nameText, objectText, unionText } from './lines.ts'

/** Entry of the package to export to its type as text. */
export type ExportedTypes = Record<string, Record<string, string>>

/** Set by the checker on properties of mapped types. */
const CHECK_FLAG_READONLY = 8

const WHOLE = NodeBuilderFlags.NoTruncation | NodeBuilderFlags.UseSingleQuotesForStringLiteralType

/** The exports of every entry of the package at `root`, read from its built declarations. */
export function exportedTypes(root: string): ExportedTypes {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  const entries = Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string' ? [] : [{ entry: name + path.slice(1), file: join(root, target.types) }],
  )
  const folder = mkdtempSync(join(tmpdir(), 'pawl-surface-'))
  const api = new API({ cwd: root })
  try {
    const config = join(folder, 'tsconfig.json')
    const typeRoots = [join(root, 'node_modules', '@types')]
    const compilerOptions = { target: 'es2024', module: 'nodenext', strict: true, skipLibCheck: true, types: ['node'], typeRoots }
    writeFileSync(config, JSON.stringify({ compilerOptions, files: entries.map(({ file }) => file) }))
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
    if (!project) throw new Error('The declarations of dist could not be opened')
    const { checker, program } = project
    const modules = entries.map(({ entry, file }) => {
      const source = program.getSourceFile(file)
      const module = source && checker.getSymbolAtLocation(source)
      if (!module) throw new Error(`${file} is missing or not a module: build first`)
      const symbols = checker
        .getExportsOfModule(module)
        .map((symbol) => ({ name: symbol.name, symbol: aliased(checker, symbol) }))
      return { entry, symbols: symbols.toSorted((left, right) => byText(left.name, right.name)) }
    })
    const printer = new Printer(checker, modules)
    return Object.fromEntries(
      modules.map(({ entry, symbols }) => [
        entry,
        Object.fromEntries(symbols.map((each) => [each.name, printer.exported(each.symbol, `${entry} ${each.name}`)])),
      ]),
    )
  } finally {
    api.close()
    rmSync(folder, { recursive: true })
  }
}

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>
}

interface Module {
  readonly entry: string
  readonly symbols: readonly { readonly name: string; readonly symbol: Symbol }[]
}

function aliased(checker: Checker, symbol: Symbol): Symbol {
  return symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

/**
 * Prints types by what they consist of. Exported types are named; those that nobody can import are spelled out, since their names
 * and places are ours to change.
 */
class Printer {
  readonly #checker: Checker
  /** Where a symbol is exported first, by its id. */
  readonly #places = new Map<number, string>()
  readonly #names = new Map<number, string>()
  /** The data of each event type, by the type's id. */
  readonly #data = new Map<number, string>()
  /** Types that are being spelled out, so that those which contain themselves end. */
  readonly #open: number[] = []

  constructor(checker: Checker, modules: readonly Module[]) {
    this.#checker = checker
    for (const { entry, symbols } of modules) {
      for (const { name, symbol } of symbols) {
        if (this.#places.has(symbol.id)) continue
        this.#places.set(symbol.id, `${entry} ${name}`)
        if (symbol.flags & SymbolFlags.Type) this.#names.set(symbol.id, name)
        if (name === 'EventData') this.#nameData(symbol)
      }
    }
  }

  /** Everything about the journal would repeat them. */
  #nameData(symbol: Symbol): void {
    for (const event of this.#checker.getPropertiesOfType(this.#checker.getDeclaredTypeOfSymbol(symbol))) {
      const type = this.#checker.getTypeOfSymbol(event)
      if (type?.isObjectType()) this.#data.set(type.id, `EventData['${event.name}']`)
    }
  }

  exported(symbol: Symbol, place: string): string {
    const first = this.#places.get(symbol.id) ?? place
    if (first !== place) return `same as ${first}`
    const parts: string[] = []
    if (symbol.flags & SymbolFlags.Type) parts.push(this.#declared(symbol))
    if (symbol.flags & SymbolFlags.Value) parts.push(this.#value(symbol))
    return parts.join('\n')
  }

  #declared(symbol: Symbol): string {
    const type = this.#checker.getDeclaredTypeOfSymbol(symbol)
    const parameters = type.isClassOrInterface() ? type.getTypeParameters() : type.getAliasTypeArguments()
    return `type${this.#parameters(parameters)} = ${this.#structure(type)}`
  }

  #value(symbol: Symbol): string {
    const type = this.#checker.getTypeOfSymbol(symbol)
    if (!type) throw new Error(`${symbol.name} has no type`)
    const kind = symbol.flags & SymbolFlags.Class ? 'class' : symbol.flags & SymbolFlags.Function ? 'function' : 'const'
    if (kind === 'const') return `const ${this.#print(type)}`
    const signatures = this.#checker.getSignaturesOfType(type, kind === 'class' ? SignatureKind.Construct : SignatureKind.Call)
    return signatures.map((signature) => `${kind} ${this.#signature(signature, ': ')}`).join('\n')
  }

  #print(type: Type): string {
    const data = this.#data.get(type.id)
    if (data !== undefined) return data
    const alias = type.getAliasSymbol()
    if (alias && this.#names.has(alias.id)) return this.#named(alias, type.getAliasTypeArguments())
    if (type.isTypeParameter()) return type.isThisType ? 'this' : (type.getSymbol()?.name ?? 'T')
    if (type.flags & TypeFlags.Boolean) return 'boolean'
    const symbol = type.getSymbol()
    const isOutside = symbol?.declarations.some(({ path }) => path.includes('/node_modules/') || path.startsWith('bundled:'))
    if (this.#checker.isTupleType(type)) return this.#tuple(type as TypeReference)
    if (symbol && this.#checker.isArrayType(type)) return this.#array(symbol, type as TypeReference)
    if (symbol && !symbol.name.startsWith('__') && (isOutside || this.#names.has(symbol.id))) {
      return this.#named(symbol, type.isTypeReference() ? this.#checker.getTypeArguments(type) : [])
    }
    return this.#structure(type)
  }

  /** A type spelled out, whatever it is called. */
  #structure(type: Type): string {
    const isObject = type.isObjectType() || (type.isIntersectionType() && type.getTypes().every((part) => part.isObjectType()))
    if (!isObject && !type.isUnionType() && !type.isIntersectionType()) return this.#checker.typeToString(type, undefined, WHOLE)
    if (this.#checker.isTupleType(type)) return this.#tuple(type as TypeReference)
    if (this.#open.includes(type.id)) return `recursive ${this.#open.length - this.#open.indexOf(type.id)}`
    this.#open.push(type.id)
    try {
      if (isObject) return this.#members(type)
      const parts = (type as UnionOrIntersectionType).getTypes()
      return type.isUnionType()
        ? this.#union(parts)
        : unionText(
            parts.map((part) => this.#print(part)),
            '&',
          )
    } finally {
      this.#open.pop()
    }
  }

  #members(type: Type): string {
    const calls = this.#checker.getSignaturesOfType(type, SignatureKind.Call)
    const constructs = this.#checker.getSignaturesOfType(type, SignatureKind.Construct)
    const properties = this.#checker.getPropertiesOfType(type).filter(({ name }) => name !== 'prototype')
    const indexes = this.#checker.getIndexInfosOfType(type)
    const [call] = calls
    if (call && calls.length === 1 && constructs.length + properties.length + indexes.length === 0)
      return this.#signature(call, ' => ')
    return objectText([
      ...calls.map((signature) => this.#signature(signature, ': ')),
      ...constructs.map((signature) => `new ${this.#signature(signature, ': ')}`),
      ...indexes.map(
        ({ keyType, valueType, isReadonly }) =>
          `${isReadonly ? 'readonly ' : ''}[${this.#print(keyType)}]: ${this.#print(valueType)}`,
      ),
      ...properties.map((property) => this.#property(property)),
    ])
  }

  #property(symbol: Symbol): string {
    const type = this.#checker.getTypeOfSymbol(symbol)
    if (!type) throw new Error(`${symbol.name} has no type`)
    const isOptional = Boolean(symbol.flags & SymbolFlags.Optional)
    // Whether a member is a method or a function doesn't matter to who calls it.
    const isReadonly = !(symbol.flags & SymbolFlags.Method) && this.#isReadonly(symbol)
    const isData = this.#data.get(type.id)?.includes(`'${symbol.name}'`)
    const text = isData ? this.#structure(type) : this.#optional(type, isOptional)
    return `${isReadonly ? 'readonly ' : ''}${nameText(symbol.name)}${isOptional ? '?' : ''}: ${text}`
  }

  #isReadonly(symbol: Symbol): boolean {
    if (symbol.checkFlags & CHECK_FLAG_READONLY) return true
    const node = symbol.valueDeclaration?.resolve() as { readonly modifierFlags?: ModifierFlags } | undefined
    return Boolean((node?.modifierFlags ?? 0) & ModifierFlags.Readonly)
  }

  /** What an optional member may be besides absent. */
  #optional(type: Type, isOptional: boolean): string {
    if (!isOptional || !type.isUnionType()) return this.#print(type)
    const alias = type.getAliasSymbol()
    if (alias && this.#names.has(alias.id)) return this.#print(type)
    const parts = type.getTypes().filter((part) => !(part.flags & TypeFlags.Undefined))
    const whole = this.#checker.getNonNullableType(type)
    const hasNull = parts.some((part) => part.flags & TypeFlags.Null)
    return whole && !hasNull ? this.#print(whole) : this.#union(parts)
  }

  #union(types: readonly Type[]): string {
    const parts = types.map((part) => this.#print(part))
    if (!parts.includes('true') || !parts.includes('false')) return unionText(parts)
    return unionText([...parts.filter((part) => part !== 'true' && part !== 'false'), 'boolean'])
  }

  #named(symbol: Symbol, args: readonly Type[]): string {
    const own = args.filter((arg) => !(arg.isTypeParameter() && arg.isThisType))
    const name = this.#names.get(symbol.id) ?? symbol.name
    return own.length === 0 ? name : `${name}<${own.map((arg) => this.#print(arg)).join(', ')}>`
  }

  #array(symbol: Symbol, type: TypeReference): string {
    const [element] = this.#checker.getTypeArguments(type)
    if (!element) throw new Error('An array of nothing')
    const text = this.#print(element)
    const isWord = /^[\w$.<>]+$|^\{[^]*\}$/.test(text)
    return `${symbol.name === 'ReadonlyArray' ? 'readonly ' : ''}${isWord ? text : `(${text})`}[]`
  }

  #tuple(type: TypeReference): string {
    const target = type.getTarget() as TupleType
    const parts = this.#checker.getTypeArguments(type).map((part, index) => {
      const flags = target.elementFlags[index] ?? ElementFlags.Required
      const text = this.#print(part)
      return flags & ElementFlags.Rest
        ? `...(${text})[]`
        : flags & ElementFlags.Variadic
          ? `...${text}`
          : flags & ElementFlags.Optional
            ? `(${text})?`
            : text
    })
    return `${target.readonly ? 'readonly ' : ''}[${parts.join(', ')}]`
  }

  #signature(signature: Signature, arrow: string): string {
    const parameters = signature.getParameters().map((symbol, index, all) => {
      const type = this.#checker.getTypeOfSymbol(symbol)
      if (!type) throw new Error(`${symbol.name} has no type`)
      const node = symbol.valueDeclaration?.resolve() as { readonly questionToken?: unknown } | undefined
      const isOptional = Boolean(node?.questionToken)
      const isRest = signature.hasRestParameter && index === all.length - 1
      // Names of parameters are not part of a contract, but they are what makes it readable.
      const name = /^__\d+$/.test(symbol.name) ? 'options' : symbol.name
      return `${isRest ? '...' : ''}${name}${isOptional ? '?' : ''}: ${this.#optional(type, isOptional)}`
    })
    return `${this.#parameters(signature.getTypeParameters())}(${parameters.join(', ')})${arrow}${this.#returned(signature)}`
  }

  #returned(signature: Signature): string {
    const predicate = this.#checker.getTypePredicateOfSignature(signature)
    if (predicate?.parameterName && predicate.type) return `${predicate.parameterName} is ${this.#print(predicate.type)}`
    const type = this.#checker.getReturnTypeOfSignature(signature)
    return type ? this.#print(type) : 'any'
  }

  #parameters(types: readonly Type[] | undefined): string {
    if (!types || types.length === 0) return ''
    const texts = types.map((type) => {
      const constraint = type.isTypeParameter() ? this.#checker.getConstraintOfTypeParameter(type) : undefined
      return `${this.#print(type)}${constraint ? ` extends ${this.#print(constraint)}` : ''}`
    })
    return `<${texts.join(', ')}>`
  }
}
