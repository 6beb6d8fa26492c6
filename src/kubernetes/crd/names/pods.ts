/* Names and numbers within a pod that a manifest may meet. */

/** Ports of every pod. */
export const ports = { http: 8_080, admin: 9_090 } as const

/** The name in a spec's pod template for the main container of every part and of every Job. */
export const EVERY_MAIN_CONTAINER = 'svc'

/** Names of main containers in a spec's pod template: the first of every pod, the others of one part or Job. */
export const mainContainers = [
  EVERY_MAIN_CONTAINER,
  'facilitator',
  'catalog',
  'explorer',
  'migration',
  'preflight',
] as const
