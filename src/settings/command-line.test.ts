import { expect, test } from 'vitest'
import { agentCommandLine, checkCommandLine } from './command-line.ts'

test('CONFIG-13 a check that needs a shell gets one, any other is a list of words', () => {
  expect(checkCommandLine('npm test')).toEqual({ command: ['npm', 'test'] })
  expect(checkCommandLine('npm test && npm run lint ')).toEqual({ command: 'npm test && npm run lint', shell: true })
  expect(checkCommandLine('CI=1 npm test')).toEqual({ command: 'CI=1 npm test', shell: true })
})

test('CONFIG-14 an agent gets a shell only when asked for, and the error says so', () => {
  expect(agentCommandLine('my-agent --fast')).toEqual({ command: ['my-agent', '--fast'] })
  expect(() => agentCommandLine('my-agent | tee log')).toThrow(/shell: true/)
  expect(agentCommandLine(`my-agent "$1" | tee it's`, true)).toEqual({ command: `my-agent "$1" | tee it's`, shell: true })
})

test('CONFIG-12 an empty command is refused', () => {
  for (const text of ['', '  ', '""']) expect(() => checkCommandLine(text)).toThrow(/empty/)
  expect(() => agentCommandLine(' ', true)).toThrow(/empty/)
})
