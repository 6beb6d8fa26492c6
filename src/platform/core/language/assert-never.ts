/** Fails to compile when a union member is not handled, and throws should one slip through. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`)
}
