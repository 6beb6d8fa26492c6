/** The HTTP method of each verb of the API server, as client-go names both. */
export const methods = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  apply: 'PATCH',
  patch: 'PATCH',
  delete: 'DELETE',
} as const

export type Verb = keyof typeof methods
