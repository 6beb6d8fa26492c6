/** Containers whose arguments and logs are ours. */
export const ourContainers: readonly string[] = [
  'facilitator',
  'catalog',
  'explorer',
  'migration',
  'preflight',
  'operator',
]
