import { PawlError } from './pawl-error.ts'

/** Refuses anything but a whole number of at least 1. */
export function requirePositiveInteger(owner: string, setting: string, value: number): void {
  requireIntegerAtLeast(owner, setting, value, 1)
}

/** Refuses anything but a whole number of at least `min`. */
export function requireIntegerAtLeast(owner: string, setting: string, value: number, min: number): void {
  if (!Number.isInteger(value) || value < min) refuse(owner, setting, `a whole number of at least ${min}`, value)
}

/** Refuses negative and infinite amounts. */
export function requireAtLeastZero(owner: string, settings: Readonly<Record<string, number>>): void {
  for (const [setting, value] of Object.entries(settings)) {
    if (!Number.isFinite(value) || value < 0) refuse(owner, setting, 'a number of at least 0', value)
  }
}

/** Refuses anything but a share above 0 and up to 1. */
export function requireShare(owner: string, setting: string, value: number): void {
  if (!(typeof value === 'number' && value > 0 && value <= 1)) refuse(owner, setting, 'a share above 0 and up to 1', value)
}

function refuse(owner: string, setting: string, wanted: string, value: unknown): never {
  throw new PawlError('setting.invalid', `${owner}: ${setting} must be ${wanted}, not ${String(value)}.`, { value })
}
