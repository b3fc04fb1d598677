import { dirname, join } from 'node:path'
import { keepCode } from './code-cache.ts'

const [, self = '', ...words] = process.argv
// Beside the bundle, where nobody else writes; the source has no business with it.
const code = self.endsWith('.cjs') ? keepCode(join(dirname(self), '.cache', 'hook')) : undefined
const name = words.find((word) => word !== 'hook')
void import('./run-hook.ts').then(({ runHook }) => runHook(name, (purpose) => code?.for(purpose)))
