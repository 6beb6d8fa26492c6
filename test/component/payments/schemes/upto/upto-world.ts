import { vi } from 'vitest'
import { findSettlement } from '../../../../../src/payments/store/settlements/find.ts'
import type { Settlement } from '../../../../../src/payments/store/settlements/settlement.ts'
import type { Signer } from '../../../../../src/stellar/accounts/signer.ts'
import type { PaymentBody } from '../../../../support/payments.ts'
import type { Stack, StackOptions } from '../../../../support/stack.ts'
import { type UptoPlan, type UptoService, uptoPayment } from '../../../../support/upto-payments.ts'
import { openWorld, type World } from '../../world.ts'

/** A facilitator that serves the scheme `upto`, a payer who holds 10 USDC and a seller. */
export interface UptoWorld extends World {
  readonly service: UptoService
  /** The settlement authority, with its key. */
  readonly authority: Signer
  /** A signed payment, by default of at most 100,000 base units from the payer to the seller. */
  upto(plan?: Partial<UptoPlan>): Promise<PaymentBody>
  /** Settles, and answers what the service did. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came over the wire
  settle(body: PaymentBody): Promise<any>
}

export async function openUptoWorld(
  options: Omit<StackOptions, 'store' | 'upto'> = {},
): Promise<UptoWorld> {
  const world = await openWorld({ ...options, upto: true })
  const { stack, payer, seller } = world
  const served = stack.facilitator.networks.get('stellar:testnet')?.upto
  if (!served) throw new Error('the scheme upto is not served')
  const { contract, authorities } = served
  const [authority] = authorities
  const service = { contract, authority: authority.address }
  return {
    ...world,
    service,
    authority,
    upto: (plan = {}) =>
      uptoPayment(stack.localnet, service, { payer, payTo: seller.address, ...plan }),
    settle: async (body) => (await stack.post('/settle', body)).body,
  }
}

/** The latest closed ledger. */
export const latest = ({ stack }: Pick<World, 'stack'>): number =>
  stack.localnet.network.latest.sequence

/** The payment's row in the store: its key has the nonce of the contract. */
export function rowOf(
  { store }: Stack,
  { paymentPayload: { payload } }: PaymentBody,
  payer: string,
): Promise<Settlement | undefined> {
  const nonce = String(payload['nonce'])
  return findSettlement(store.db, { network: 'stellar:testnet', payer, nonce })
}

/** Resolves with the row once the payment is in that state. */
export const untilState = (
  stack: Stack,
  body: PaymentBody,
  { payer, state }: { readonly payer: string; readonly state: Settlement['state'] },
): Promise<Settlement> =>
  vi.waitFor(
    async () => {
      const row = await rowOf(stack, body, payer)
      if (row?.state !== state) throw new Error(`the settlement is ${row?.state}, not ${state}`)
      return row
    },
    { timeout: 120_000, interval: 20 },
  )

/** Every settlement in the store. */
export async function countSettlements({ store }: Stack): Promise<number> {
  const rows = await store.db.selectFrom('settlements').select('id').execute()
  return rows.length
}
