import { type Stack, type StackOptions, startStack } from './stack.ts'

/** A stack on real Postgres; by default a ledger closes after each transaction sent. */
export const openPaymentStack = (options: Omit<StackOptions, 'store'> = {}): Promise<Stack> =>
  startStack({ closeEveryMs: 'on-send', ...options })
