import { describe, expect, test } from 'vitest'
import { temporaryFolder, writeFiles } from '../../test/support/temporary-repository.ts'
import { folderCodebase } from './folder-codebase.ts'

const context = { signal: new AbortController().signal, progress: () => undefined }

/** What each file imports, with the line: `to:line`. */
async function importsIn(
  files: Readonly<Record<string, string>>,
  ...from: readonly string[]
): Promise<readonly (readonly string[])[]> {
  await using folder = await temporaryFolder()
  await writeFiles(folder.path, files)
  const index = await folderCodebase({ path: folder.path }).index(context)
  return from.map((file) => index.importsOf(file).map(({ to, line }) => `${to}:${line}`))
}

async function declaredIn(file: string, text: string): Promise<readonly string[]> {
  await using folder = await temporaryFolder()
  await writeFiles(folder.path, { [file]: text })
  const index = await folderCodebase({ path: folder.path }).index(context)
  return index.declarationsIn(file).map(({ name, kind, line }) => `${line} ${kind} ${name}`)
}

describe('the import graph', () => {
  test('CODE-9 TypeScript and JavaScript: every way to import, index files, the name of the file to be made', async () => {
    const files = {
      'src/main.ts': [
        `import a from './a.js'`,
        `import type { B } from './b'`,
        `export * from './folder'`,
        `import c = require('./c')`,
        `const d = require('./d.cjs')`,
        `const load = () => import('./e.mjs')`,
        `import './f.jsx'`,
        `import g from '.'`,
        `import fs from 'node:fs'`,
        `// import './not-this'`,
        `const text = "import './not-this'"`,
      ].join('\n'),
      'src/a.ts': '',
      'src/b.tsx': '',
      'src/folder/index.ts': '',
      'src/c.js': '',
      'src/d.cts': '',
      'src/e.mts': '',
      'src/f.tsx': '',
      'src/index.ts': '',
      'src/not-this.ts': '',
    }
    expect(await importsIn(files, 'src/main.ts')).toEqual([
      [
        'src/a.ts:1',
        'src/b.tsx:2',
        'src/c.js:4',
        'src/d.cts:5',
        'src/e.mts:6',
        'src/f.tsx:7',
        'src/folder/index.ts:3',
        'src/index.ts:8',
      ],
    ])
  })

  test('CODE-9 paths and baseUrl of the nearest tsconfig, and packages of the same repository', async () => {
    const files = {
      'tsconfig.base.json':
        '{ "compilerOptions": { "baseUrl": ".", "paths": { "@lib/*": ["lib/*"], "exact": ["lib/exact.ts"] } } }',
      'tsconfig.json': '// with a comment\n{ "extends": "./tsconfig.base.json", }',
      'app/main.ts': `import '@lib/tool'\nimport 'exact'\nimport 'lib/plain'\nimport '@me/other'\nimport '@me/other/deep'\nimport 'react'`,
      'lib/tool.ts': '',
      'lib/exact.ts': '',
      'lib/plain.ts': '',
      'packages/other/package.json': '{ "name": "@me/other", "main": "dist/index.js" }',
      'packages/other/src/index.ts': '',
      'packages/other/src/deep.ts': '',
    }
    expect(await importsIn(files, 'app/main.ts')).toEqual([
      ['lib/exact.ts:2', 'lib/plain.ts:3', 'lib/tool.ts:1', 'packages/other/src/deep.ts:5', 'packages/other/src/index.ts:4'],
    ])
  })

  test('CODE-10 Python: relative and absolute imports, packages and modules', async () => {
    const files = {
      'pkg/__init__.py': '',
      'pkg/a.py':
        'import os\nfrom . import b\nfrom .sub import c\nfrom pkg.sub.d import thing\nimport pkg.b as other\nif True:\n    from .late import x\n',
      'pkg/b.py': 'from .. import nothing\n',
      'pkg/late.py': '',
      'pkg/sub/__init__.py': 'from ..a import f\n',
      'pkg/sub/c.py': '',
      'pkg/sub/d.py': 'thing = 1\n',
      'scripts/run.py': 'import helper\nimport pkg.a\n',
      'scripts/helper.py': '',
    }
    expect(await importsIn(files, 'pkg/a.py', 'pkg/sub/__init__.py', 'scripts/run.py')).toEqual([
      ['pkg/b.py:2', 'pkg/late.py:7', 'pkg/sub/c.py:3', 'pkg/sub/d.py:4'],
      ['pkg/a.py:1'],
      ['pkg/a.py:2', 'scripts/helper.py:1'],
    ])
  })

  test('CODE-11 Go: packages of the module, of which only the files that are made use of', async () => {
    const files = {
      'go.mod': 'module example.com/shop\n',
      'main.go':
        'package main\nimport (\n\t"fmt"\n\t"example.com/shop/cart"\n)\nfunc main() { fmt.Println(cart.Total()); Help() }\n',
      'help.go': 'package main\nfunc Help() {}\n',
      'cart/total.go': 'package cart\nfunc Total() int { return 1 }\n',
      'cart/other.go': 'package cart\nfunc Other() int { return 1 }\n',
    }
    expect(await importsIn(files, 'main.go')).toEqual([['cart/total.go:4', 'help.go:6']])
  })

  test('CODE-12 Rust: modules, use trees, and other crates of the workspace', async () => {
    const files = {
      'app/Cargo.toml': '[package]\nname = "app"\n',
      'app/src/main.rs':
        'mod config;\nmod net;\nuse crate::net::{client::Client, server};\nuse shared_lib::tools::Tool;\nuse std::fmt;\nfn main() {}\n',
      'app/src/config.rs': 'use super::net::client::*;\n',
      'app/src/net/mod.rs': 'pub mod client;\npub mod server;\n',
      'app/src/net/client.rs': 'use crate::config;\nuse self::inner::X;\nmod inner;\n',
      'app/src/net/client/inner.rs': '',
      'app/src/net/server.rs': '',
      'lib/Cargo.toml': '[package]\nname = "shared-lib"\n',
      'lib/src/lib.rs': 'pub mod tools;\n',
      'lib/src/tools.rs': '',
    }
    expect(await importsIn(files, 'app/src/main.rs', 'app/src/config.rs', 'app/src/net/client.rs', 'lib/src/lib.rs')).toEqual([
      ['app/src/config.rs:1', 'app/src/net/client.rs:3', 'app/src/net/mod.rs:2', 'app/src/net/server.rs:3', 'lib/src/tools.rs:4'],
      ['app/src/net/client.rs:1'],
      ['app/src/config.rs:1', 'app/src/net/client/inner.rs:2'],
      ['lib/src/tools.rs:1'],
    ])
  })

  test('CODE-13 Java and C#: types by their package, whole packages by what is mentioned, neighbours without an import', async () => {
    const java = {
      'src/a/Main.java':
        'package a;\nimport b.Cart;\nimport c.*;\nimport static b.Cart.Line.of;\nclass Main { Cart c; Tool t; Near n; }\n',
      'src/a/Near.java': 'package a;\nclass Near {}\n',
      'src/b/Cart.java': 'package b;\npublic class Cart { public static class Line {} }\n',
      'src/c/Tool.java': 'package c;\npublic class Tool {}\n',
      'src/c/Unused.java': 'package c;\npublic class Unused {}\n',
    }
    expect(await importsIn(java, 'src/a/Main.java')).toEqual([['src/a/Near.java:5', 'src/b/Cart.java:2', 'src/c/Tool.java:3']])
    const csharp = {
      'Main.cs': 'using Shop.Carts;\nusing T = Shop.Tools.Tool;\nnamespace Shop;\n// Unused\nclass Main { Cart c; Near n; }\n',
      'Near.cs': 'namespace Shop { class Near {} }\n',
      'Cart.cs': 'namespace Shop.Carts { class Cart {} }\n',
      'Unused.cs': 'namespace Shop.Carts { class Unused {} }\n',
      'Tool.cs': 'namespace Shop.Tools;\nclass Tool {}\n',
    }
    expect(await importsIn(csharp, 'Main.cs')).toEqual([['Cart.cs:1', 'Near.cs:5', 'Tool.cs:2']])
  })

  test('CODE-14 C and C++: from the own folder, from the include folder, else the nearest header of that name', async () => {
    const files = {
      'src/main.c': '#include "own.h"\n#include <lib/api.h>\n#ifdef X\n#include "deep.hpp"\n#endif\n#include <stdio.h>\n',
      'src/own.h': '',
      'include/lib/api.h': '',
      'src/x/y/deep.hpp': '',
      'other/deep.hpp': '',
    }
    expect(await importsIn(files, 'src/main.c')).toEqual([['include/lib/api.h:2', 'src/own.h:1', 'src/x/y/deep.hpp:4']])
  })
})

describe('what files declare', () => {
  test.each([
    [
      'a.tsx',
      'export class A extends B {\n  run() {}\n  held = () => 1\n}\nexport const f = () => <b/>, LIMIT = 3\ninterface I {}\ntype T = 1\nenum E {}\nexport default function g() { function inner() {} }\nnamespace N { export const deep = 1 }\n',
      [
        '1 class A',
        '2 method run',
        '3 method held',
        '5 constant LIMIT',
        '5 function f',
        '6 type I',
        '7 type T',
        '8 type E',
        '9 function g',
        '10 constant deep',
        '10 module N',
      ],
    ],
    [
      'a.cjs',
      'exports.foo = function () {}\nmodule.exports.bar = 1\nA.prototype.baz = () => 2\n',
      ['1 function foo', '2 constant bar', '3 function baz'],
    ],
    [
      'a.py',
      'X = 1\n@dec\ndef f():\n  def inner(): pass\nclass A:\n  Y = 2\n  async def m(self): pass\n',
      ['1 constant X', '3 function f', '5 class A', '6 constant Y', '7 function m'],
    ],
    [
      'a.go',
      'package p\nconst A, B = 1, 2\nvar V int\ntype T struct{}\nfunc F() {}\nfunc (t T) M() {}\n',
      ['2 constant A', '2 constant B', '3 variable V', '4 type T', '5 function F', '6 method M'],
    ],
    [
      'a.rs',
      'pub struct S;\nimpl S { pub fn new() {} }\ntrait T { fn m(&self); }\nmod inner { pub const C: u8 = 1; }\nmacro_rules! mm { () => {} }\n',
      ['1 class S', '2 function new', '3 method m', '3 type T', '4 constant C', '4 module inner', '5 function mm'],
    ],
    [
      'A.java',
      'class A { int x; void m() {} A() {} enum E { ONE } }\nrecord R(int a) {}\n',
      ['1 class A', '1 constant ONE', '1 method A', '1 method m', '1 type E', '1 variable x', '2 class R'],
    ],
    [
      'A.cs',
      'namespace N { class A { int x = 1; public int P { get; set; } void M() {} } enum E { A } }\n',
      ['1 class A', '1 method M', '1 type E', '1 variable P', '1 variable x'],
    ],
    [
      'a.c',
      '#define LIMIT 1\nstruct point { int x; };\ntypedef struct { int b; } pair;\nstatic char *name(void) { return 0; }\nint count = 1;\nint proto(void);\n',
      ['1 constant LIMIT', '2 class point', '3 type pair', '4 function name', '5 variable count', '6 function proto'],
    ],
    [
      'a.cpp',
      'namespace n { class A { void m(); int x; }; }\nvoid n::A::m() {}\ntemplate <class T> T& f(T& a) { return a; }\n',
      ['1 class A', '1 function m', '1 module n', '2 function m', '3 function f'],
    ],
  ] as const)(
    'CODE-15 functions, classes, types, constants and members are found with their lines: %s',
    async (file, text, expected) => {
      expect((await declaredIn(file, text)).toSorted()).toEqual(expected.toSorted())
    },
  )

  test('CODE-44 what is required or handed out again is not declared there', async () => {
    const text =
      "const A = require('a')\nconst B = require('b').c\nconst D = 1\nfunction f() {}\nmodule.exports.f = f\nexports.g = () => 1\n"
    expect(await declaredIn('a.js', text)).toEqual(['3 constant D', '4 function f', '6 function g'])
  })

  test.each([
    ['a.ts', 'export function before() {}\nexport function broken( {{{ \nconst = = 3\nexport function after() {}\n'],
    ['a.py', 'def before(): pass\ndef broken(:::\n  x ==\ndef after(): pass\n'],
    ['a.go', 'package p\nfunc before() {}\nfunc broken( {\n}}}\nfunc after() {}\n'],
  ] as const)('CODE-16 what is right in a broken file is found all the same: %s', async (file, text) => {
    expect((await declaredIn(file, text)).join()).toContain('function before')
  })
})
