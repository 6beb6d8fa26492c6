/** The phases in their usual order; docs/rotation.md says what each does. */
export const rotationPhases = [
  'Checking',
  'Rescuing',
  'Provisioning',
  'Introducing',
  'Moving',
  'Expiring',
  'Unmounting',
  'Retiring',
  'Sweeping',
  'Done',
  'Aborted',
] as const

export type RotationPhase = (typeof rotationPhases)[number]
