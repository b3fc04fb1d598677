import type { FoundTestCommand } from './find-test-commands.ts'
import type { FolderView } from './folder-view.ts'

/**
 * How a Python project is tested: with pytest, unless that is not installed, nothing in the folder asks for it, and all its tests
 * are unittest's.
 */
export function pythonTests(folder: FolderView, hasPytest: boolean): FoundTestCommand | undefined {
  const because = pythonSign(folder)
  if (because === undefined) return undefined
  const runner = folder.has('uv.lock') ? 'uv run ' : folder.has('poetry.lock') ? 'poetry run ' : ''
  const isOpen = runner === '' && !hasPytest && !asksForPytest(folder)
  return (isOpen ? unittest(folder) : undefined) ?? { tool: 'pytest', command: `${runner}pytest -q`, because }
}

/** Tools for other languages are configured in pyproject.toml too, so it counts only when it is about a project or its tests. */
function pythonSign(folder: FolderView): string | undefined {
  if (/^\[(?:project|build-system|tool\.(?:poetry|pytest))\b/m.test(folder.text('pyproject.toml'))) return 'pyproject.toml'
  const named = ['pytest.ini', 'conftest.py'].find((name) => folder.has(name))
  if (named !== undefined) return named
  const section = ['setup.cfg', 'tox.ini'].find((name) => /^\[(?:tool:)?pytest\]/m.test(folder.text(name)))
  if (section !== undefined) return section
  const below = PLACES.find((place) => folder.hasLike(TEST_FILE, place) || folder.hasLike(/^conftest\.py$/, place))
  return below === undefined ? undefined : placeWords(below)
}

const PLACES = ['tests', 'test', ''] as const

const TEST_FILE = /^(?:test_.*|.*_test)\.py$/

function placeWords(place: string): string {
  return place === '' ? 'the test files' : `${place}/`
}

/** Whoever configures pytest, or lists it among what is needed, has to install it. */
function asksForPytest(folder: FolderView): boolean {
  if (folder.has('pytest.ini') || PLACES.some((place) => folder.hasLike(/^conftest\.py$/, place))) return true
  const lists = ['pyproject.toml', 'setup.cfg', 'setup.py', 'tox.ini', 'Pipfile', ...folder.namesLike(/^requirements.*\.txt$/)]
  return lists.some((name) => /\bpytest\b/.test(folder.text(name)))
}

/** unittest finds no tests in a folder that is no package, unless it begins there; and no functions. */
function unittest(folder: FolderView): FoundTestCommand | undefined {
  const place = PLACES.find((each) => folder.hasLike(TEST_FILE, each))
  if (place === undefined) return undefined
  const files = folder.namesLike(TEST_FILE, place)
  const texts = files.slice(0, FILES_MAX).map((name) => folder.text(place === '' ? name : `${place}/${name}`))
  if (texts.some(isPytests) || !texts.some((text) => /^class \w+\(.*\bTestCase\)/m.test(text))) return undefined
  const isPackage = place === '' || folder.hasLike(/^__init__\.py$/, place)
  const pattern = files.some((name) => name.startsWith('test_')) ? '' : ' -p "*_test.py"'
  const from = isPackage ? (pattern === '' ? '' : ' discover') : ` discover -s ${place}`
  return { tool: 'unittest', command: `python3 -m unittest${from}${pattern}`, because: placeWords(place) }
}

function isPytests(text: string): boolean {
  return /^\s*(?:import|from) pytest\b|^(?:async )?def test_/m.test(text)
}

/** More than enough to see how tests are written. */
const FILES_MAX = 50
