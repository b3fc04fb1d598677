import { enableCompileCache } from 'node:module'
import { dirname, join } from 'node:path'

const [, self = '', ...words] = process.argv
// Beside the bundle, where nobody else writes; the source has no business with it.
if (!self.endsWith('.ts')) enableCompileCache(join(dirname(self), '.cache'))
void import('./run-hook.ts').then(({ runHook }) => runHook(words[0] === 'hook' ? words.slice(1) : words))
