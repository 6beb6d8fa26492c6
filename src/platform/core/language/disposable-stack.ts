import { AsyncDisposableStack as Stack } from '@whatwg-node/disposablestack'

/*
 * Node 24 has this class as a global. Node 22, which runs the installed package, lacks it, and a library must not add
 * globals to the program that imports it. The ponyfill takes the global one where there is one.
 */

export const AsyncDisposableStack = Stack
export type AsyncDisposableStack = InstanceType<typeof Stack>
