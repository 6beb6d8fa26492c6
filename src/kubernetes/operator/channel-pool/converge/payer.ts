import type { Payer } from '../../../../payments/channels/retire/rescue.ts'
import { leaseSource } from '../../../../payments/channels/transaction-source.ts'
import type { Clock } from '../../../../platform/core/time/clock.ts'
import { signerFromSecret } from '../../../../stellar/accounts/signer.ts'
import type { Connected } from '../connect/connect.ts'

/** A sponsor of a pool, as one that pays for a transaction of another sponsor. */
export const payerOf = (
  connected: Connected,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Payer => ({
  signer: signerFromSecret(connected.sponsorSecret),
  leaseSource: () =>
    leaseSource({
      ...connected,
      clock,
      signal,
      inStore: (statement) => connected.write(statement),
    }),
})
