import { freshDatabase } from './postgres.ts'
import { type Stack, type StackOptions, startStack } from './stack.ts'

/** A stack on real Postgres, whose ledgers close when something was sent unless it says otherwise. */
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
  // As it is, with its getters; only the end is another one.
  return Object.defineProperty(stack, Symbol.asyncDispose, {
    value: () => resources.disposeAsync(),
  })
}
