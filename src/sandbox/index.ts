export type { BoxRequest, Isolation, OpenBox } from './isolation.ts'
export { sandbox } from './sandbox.ts'
export type { SandboxOptions, WrapperOptions } from './settings.ts'
export { wrapper } from './wrapper.ts'
