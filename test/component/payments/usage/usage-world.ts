import { sql } from 'kysely'
import { expect, vi } from 'vitest'
import { readUsage } from '../../../../src/payments/store/usage/read.ts'
import type { UsageAnswer } from '../../../../src/payments/usage/schema.ts'
import { usageAnswerSchema } from '../../../../src/payments/usage/schema.ts'
import { acceptedKeys, digestOf } from '../../../support/api-keys.ts'
import { openWallet, type PaymentPlan, payment } from '../../../support/payments.ts'
import { type Answer, type Stack, type StackOptions, startStack } from '../../../support/stack.ts'

export const subjectOf = (key: string) => `key:${digestOf(key).slice(0, 16)}`

export const ALICE = 'svc_alice'
export const BOB = 'svc_bob'
export const CAROL = 'svc_carol'

export interface UsageWorld extends AsyncDisposable {
  readonly stack: Stack
  pay(plan?: Partial<PaymentPlan>): ReturnType<typeof payment>
  /** @param key none when absent */
  post(path: '/verify' | '/settle', body: unknown, key?: string, baseUrl?: string): Promise<Answer>
  usageOf(key: string, baseUrl?: string): Promise<UsageAnswer>
  /** The rows without their common fields, once they are as expected, whichever of these replicas has counted. */
  expectUsage(key: string, rows: readonly object[], baseUrls?: readonly string[]): Promise<void>
  /** What callers without a key have asked for. */
  publicRows(): ReturnType<typeof readUsage>
  /** Between two cases: writes what is counted, then deletes it. */
  forget(): Promise<void>
}

/** A facilitator with three known keys that requires none. */
export async function openUsageWorld(options: StackOptions = {}): Promise<UsageWorld> {
  await using opened = new AsyncDisposableStack()
  const keys = acceptedKeys(ALICE, BOB, CAROL)
  const stack = opened.use(await startStack({ closeEveryMs: 'on-send', keys, ...options }))
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
    expectUsage: (key, rows, baseUrls = [stack.baseUrl]) =>
      vi.waitFor(
        async () => {
          // The answer of a replica has what it counted itself, and what others have written.
          for (const baseUrl of baseUrls.slice(1)) await usageOf(key, baseUrl)
          const { usage } = await usageOf(key, baseUrls[0])
          expect(usage.map(({ day: _, network: __, ...row }) => row)).toEqual(rows)
        },
        { timeout: 120_000, interval: 20 },
      ),
    publicRows: async () => {
      await usageOf(ALICE)
      return readUsage(stack.store.db, 'public', 31)
    },
    forget: async () => {
      await usageOf(ALICE)
      await sql`delete from usage_counts`.execute(stack.store.db)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
