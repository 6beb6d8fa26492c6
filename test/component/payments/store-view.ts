import { expect, vi } from 'vitest'
import { listChannels } from '../../../src/payments/store/channels/channel.ts'
import { findSettlement } from '../../../src/payments/store/settlements/find.ts'
import type {
  Settlement,
  SettlementKey,
} from '../../../src/payments/store/settlements/settlement.ts'
import { readClientEnvelope } from '../../../src/stellar/transactions/client-envelope.ts'
import type { PaymentBody } from '../../support/payments.ts'
import type { Stack } from '../../support/stack.ts'

/** The payment's key in the store. */
export function keyOf({ paymentPayload: { payload } }: PaymentBody): SettlementKey {
  const { operations } = readClientEnvelope(String(payload['transaction']))
  const entry = operations[0]?.invocation?.auth[0]
  if (!entry || entry.credentials === 'sourceAccount') throw new Error('the entry has no address')
  const { nonce = entry.nonce.toString() } = payload
  return { network: 'stellar:testnet', payer: entry.address, nonce: String(nonce) }
}

export const rowOf = ({ store }: Stack, body: PaymentBody): Promise<Settlement | undefined> =>
  findSettlement(store.db, keyOf(body))

/** Resolves once the payment is in that state. */
export const untilState = (stack: Stack, body: PaymentBody, state: Settlement['state']) =>
  vi.waitFor(async () => expect((await rowOf(stack, body))?.state).toBe(state), {
    timeout: 120_000,
    interval: 20,
  })

/** Resolves once the network has the payment's transaction; it is recorded before it is sent. */
export const untilSent = (stack: Stack, body: PaymentBody) =>
  vi.waitFor(
    async () => expect(stack.taken).toContain((await rowOf(stack, body))?.recorded?.txHash),
    { timeout: 120_000, interval: 20 },
  )

/** Number of channels that are leased or used by an unfinished envelope. */
export async function leasedChannels({ store }: Stack): Promise<number> {
  const channels = await listChannels(store.db, 'stellar:testnet')
  return channels.filter(({ isLeased }) => isLeased).length
}
