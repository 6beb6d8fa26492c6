import type { RefusedPayment } from '../../../support/refusals/refusal.ts'
import type { WorldRefusal } from '../refusal-case.ts'

export const expiryCases: readonly WorldRefusal[] = [
  {
    code: 'invalid_exact_stellar_signature_expired',
    when: 'for an entry that expired with the ledger before the latest',
    build: expiring(
      (newest) => newest - 1,
      (newest) => `the authorization expired after ledger ${newest - 1}, the newest is ${newest}`,
    ),
  },
  {
    code: 'invalid_exact_stellar_signature_expiration_too_soon',
    when: 'for an entry that expires with the latest ledger',
    build: expiring(
      (newest) => newest,
      (newest) =>
        `the authorization expires after ledger ${newest}, expected ${newest + 1} or later`,
    ),
  },
  {
    code: 'invalid_exact_stellar_signature_expiration_too_far',
    when: 'for an entry that expires long after the timeout',
    build: expiring(
      (newest) => newest + 1_000,
      (newest) =>
        new RegExp(
          `^the authorization expires after ledger ${newest + 1_000}, expected \\d+ or earlier: 60 s are \\d+ ledgers$`,
        ),
    ),
  },
]

function expiring(
  expirationLedger: (newest: number) => number,
  message: (newest: number) => RefusedPayment['message'],
): WorldRefusal['build'] {
  return async (world) => {
    const newest = world.stack.localnet.network.latest.sequence
    return {
      body: await world.pay({ expirationLedger: expirationLedger(newest) }),
      message: message(newest),
      payer: world.payer.address,
    }
  }
}
