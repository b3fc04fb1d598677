// Written by scripts/list-parts.ts (`npm run parts`) from the `@part` and `@settings` comments: do not edit.
import { cargoJson } from './cargo-json.ts'
import { cargoText } from './cargo-text.ts'
import { eslintJson } from './eslint-json.ts'
import { eslintText } from './eslint-text.ts'
import { general } from './general.ts'
import { githubAnnotations } from './github-annotations.ts'
import { goJson } from './go-json.ts'
import { goText } from './go-text.ts'
import { jestJson } from './jest-json.ts'
import { jestText } from './jest-text.ts'
import { junit } from './junit.ts'
import { mochaJson } from './mocha-json.ts'
import { mochaText } from './mocha-text.ts'
import { nodeSpecText } from './node-spec-text.ts'
import { pytestText } from './pytest-text.ts'
import { rspecText } from './rspec-text.ts'
import { sarif } from './sarif.ts'
import { tap } from './tap.ts'
import { tsc } from './tsc.ts'
import { unittestText } from './unittest-text.ts'
import { vitestJson } from './vitest-json.ts'
import { vitestText } from './vitest-text.ts'

/** Every report format that a check can name. */
export const REPORT_FORMATS = {
  'cargo-json': cargoJson,
  cargo: cargoText,
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
