import type { RefusedPayment } from '../../../support/refusals/refusal.ts'
import type { WorldRefusal } from '../refusal-case.ts'

export const expiryCases: readonly WorldRefusal[] = [
  {
    code: 'invalid_exact_stellar_signature_expired',
    when: 'for an entry that expired with the ledger before the latest',
    build: expiring(
      (latest) => latest - 1,
      (latest) => `the authorization expired after ledger ${latest - 1}, the latest is ${latest}`,
    ),
  },
  {
    code: 'invalid_exact_stellar_signature_expiration_too_soon',
    when: 'for an entry that expires with the latest ledger',
    build: expiring(
      (latest) => latest,
      (latest) =>
        `the authorization expires after ledger ${latest}, expected ${latest + 1} or later`,
    ),
  },
  {
    code: 'invalid_exact_stellar_signature_expiration_too_far',
    when: 'for an entry that expires long after the timeout',
    build: expiring(
      (latest) => latest + 1_000,
      (latest) =>
        new RegExp(
          `^the authorization expires after ledger ${latest + 1_000}, expected \\d+ or earlier: 60 s are \\d+ ledgers$`,
        ),
    ),
  },
]

function expiring(
  expirationLedger: (latest: number) => number,
  message: (latest: number) => RefusedPayment['message'],
): WorldRefusal['build'] {
  return async (world) => {
    const latest = world.stack.localnet.network.latest.sequence
    return {
      body: await world.pay({ expirationLedger: expirationLedger(latest) }),
      message: message(latest),
      payer: world.payer.address,
    }
  }
}
