// Written by scripts/list-parts.ts (`npm run parts`) from the `@part` and `@settings` comments: do not edit.
import { failBlocks } from './blocks.ts'
import { cargoJson, cargoText } from './cargo.ts'
import { compiler } from './compiler.ts'
import { ctestText, dotnetText, mavenText, gradleText, phpunitText } from './consoles.ts'
import { eslintJson, eslintText } from './eslint.ts'
import { general } from './general.ts'
import { githubAnnotations } from './github-annotations.ts'
import { goJson, goText } from './go.ts'
import { jestJson, jestText } from './jest.ts'
import { junit } from './junit.ts'
import { mochaJson, mochaText } from './mocha.ts'
import { nodeSpecText } from './node-test.ts'
import { pytestText } from './pytest.ts'
import { rspecText } from './rspec.ts'
import { sarif } from './sarif.ts'
import { tap } from './tap.ts'
import { tsc } from './tsc.ts'
import { unittestText } from './unittest.ts'
import { vitestJson, vitestText } from './vitest.ts'

/** Every report format that a check can name. */
export const REPORT_FORMATS = {
  blocks: failBlocks,
  'cargo-json': cargoJson,
  cargo: cargoText,
  compiler,
  ctest: ctestText,
  dotnet: dotnetText,
  maven: mavenText,
  gradle: gradleText,
  phpunit: phpunitText,
  'eslint-json': eslintJson,
  eslint: eslintText,
  general,
  github: githubAnnotations,
  'go-json': goJson,
  go: goText,
  'jest-json': jestJson,
  jest: jestText,
  junit,
  'mocha-json': mochaJson,
  mocha: mochaText,
  node: nodeSpecText,
  pytest: pytestText,
  rspec: rspecText,
  sarif,
  tap,
  tsc,
  unittest: unittestText,
  'vitest-json': vitestJson,
  vitest: vitestText,
}
