import { expect, vi } from 'vitest'
import type { UsageAnswer } from '../../../src/facilitator/usage/schema.ts'
import { usageAnswerSchema } from '../../../src/facilitator/usage/schema.ts'
import { acceptedKeys, digestOf } from '../../support/api-keys.ts'
import { openPaymentStack } from '../../support/payment-stack.ts'
import { openWallet, type PaymentPlan, payment } from '../../support/payments.ts'
import { type Answer, type Stack, type StackOptions, startStack } from '../../support/stack.ts'
import type { StoreKind } from '../store/open-stores.ts'

export const subjectOf = (key: string) => `key:${digestOf(key).slice(0, 16)}`

export const ALICE = 'svc_alice'
export const BOB = 'svc_bob'

export interface UsageWorld extends AsyncDisposable {
  readonly stack: Stack
  pay(plan?: Partial<PaymentPlan>): ReturnType<typeof payment>
  /** @param key none when absent */
  post(path: '/verify' | '/settle', body: unknown, key?: string, baseUrl?: string): Promise<Answer>
  usageOf(key: string, baseUrl?: string): Promise<UsageAnswer>
  /** The rows without their common fields, once they are as expected. */
  expectUsage(key: string, rows: readonly object[]): Promise<void>
}

/** A facilitator with two known keys that requires none. */
export async function openUsageWorld(
  kind: StoreKind,
  options: Omit<StackOptions, 'store'> = {},
): Promise<UsageWorld> {
  await using opened = new AsyncDisposableStack()
  const keys = acceptedKeys(ALICE, BOB)
  const asked = { closeEveryMs: 'on-send', keys, ...options } as const
  const stack = opened.use(
    kind === 'memory' ? await startStack(asked) : await openPaymentStack(asked),
  )
  const { localnet } = stack
  const [payer, seller] = await Promise.all([openWallet(localnet), openWallet(localnet, 1n)])
  const usageOf = async (key: string, baseUrl = stack.baseUrl) => {
    const response = await fetch(`${baseUrl}/usage`, { headers: { 'x-api-key': key } })
    expect(response.status).toBe(200)
    const answer = await response.json()
    expect(usageAnswerSchema.parse(answer)).toEqual(answer)
    return answer as UsageAnswer
  }
  const resources = opened.move()
  return {
    stack,
    usageOf,
    pay: (plan = {}) => payment(localnet, { payer, payTo: seller.address, ...plan }),
    post: async (path, body, key, baseUrl = stack.baseUrl) => {
      const response = await fetch(baseUrl + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
      const { status, headers } = response
      return { status, headers, body: await response.json() }
    },
    expectUsage: (key, rows) =>
      vi.waitFor(
        async () => {
          const { usage } = await usageOf(key)
          expect(usage.map(({ day: _, network: __, ...row }) => row)).toEqual(rows)
        },
        { timeout: 40_000, interval: 50 },
      ),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
