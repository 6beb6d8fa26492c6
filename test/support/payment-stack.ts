import { freshDatabase } from './postgres.ts'
import { type Stack, type StackOptions, startStack } from './stack.ts'

/** A stack on real Postgres; by default a ledger closes after each transaction sent. */
export async function openPaymentStack(options: Omit<StackOptions, 'store'> = {}): Promise<Stack> {
  await using opened = new AsyncDisposableStack()
  const database = opened.use(await freshDatabase())
  const store = {
    kind: 'postgres',
    url: database.url,
    poolSize: 10,
    statementTimeoutMs: 10_000,
  } as const
  const stack = opened.use(await startStack({ closeEveryMs: 'on-send', ...options, store }))
  const resources = opened.move()
  // The same object, with its getters; only its disposal differs.
  return Object.defineProperty(stack, Symbol.asyncDispose, {
    value: () => resources.disposeAsync(),
  })
}
