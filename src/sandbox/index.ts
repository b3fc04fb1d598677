export type { BoxRequest, Isolation, OpenBox } from './isolation.ts'
export { sandbox } from './sandbox.ts'
export type { SandboxOptions } from './settings.ts'
export { wrapper, type WrapperOptions } from './wrapper.ts'
