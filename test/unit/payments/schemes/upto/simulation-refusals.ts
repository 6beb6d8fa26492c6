import type { PaymentPolicy } from '../../../../../src/payments/protocol/policy.ts'
import type { ReasonCode } from '../../../../../src/payments/protocol/reasons.ts'
import type { Payment, Phase } from '../../../../../src/payments/schemes/scheme.ts'
import {
  issuer,
  ledger,
  payer,
  removeTrustline,
  retrust,
  seller,
  smartAccount,
  stranger,
} from '../../protocol/host-world.ts'
import { apply, contractKeys, payment, policy } from './upto-world.ts'

const P = 'invalid_exact_stellar_payload_'
const U = 'invalid_upto_stellar_payload_'

/** A payment that passes every check which needs no ledger. */
interface Given {
  readonly payment: Payment
  /** @default that of the world */
  readonly policy?: PaymentPolicy
}

interface SimulationRefusal {
  readonly when: string
  readonly code: ReasonCode
  readonly says: string
  readonly given: () => Promise<Payment | Given>
}

async function later(ledgers: number, phase: Phase): Promise<Payment> {
  const given = await payment({}, phase)
  ledger.sequence += ledgers
  return given
}

/** Refusals that the simulation of a payment on the real host finds. */
export const simulationRefusals: readonly SimulationRefusal[] = [
  {
    when: 'the authorization has expired, at verify',
    code: `${U}expired`,
    says: 'expired after ledger',
    given: () => later(11, 'verify'),
  },
  {
    when: 'the authorization has expired, at settle',
    code: 'settle_upto_stellar_authorization_expired',
    says: 'expired after ledger',
    given: () => later(11, 'settle'),
  },
  {
    when: 'the authorization expires with the latest ledger',
    code: 'invalid_exact_stellar_signature_expiration_too_soon',
    says: 'or later',
    given: () => later(10, 'settle'),
  },
  {
    when: 'the authorization expires long after the timeout',
    code: `${U}expiration_too_far`,
    says: 'or earlier: 60 s are 12 ledgers',
    given: () => payment({ expirationLedger: ledger.sequence + 15 }),
  },
  {
    when: 'the payment was settled before',
    code: `${U}authorization_used`,
    says: 'used already',
    given: async () => {
      const given = await payment()
      apply(given)
      return given
    },
  },
  {
    when: 'the nonce was used for nothing, by another entry of the payer',
    code: `${U}authorization_used`,
    says: 'used already',
    given: async () => {
      const nonce = new Uint8Array(32).fill(7)
      apply(await payment({ nonce, amount: 0n }))
      return payment({ nonce })
    },
  },
  {
    when: "the entry's nonce was used",
    code: `${U}authorization_used`,
    says: 'used already',
    given: async () => {
      apply(await payment({ entryNonce: 7n }))
      return payment({ entryNonce: 7n })
    },
  },
  {
    when: 'a stranger signed',
    code: `${P}invalid_signature`,
    says: 'refuses the signature',
    given: () => payment({ signer: stranger }),
  },
  {
    when: 'a smart account refuses',
    code: `${P}smart_account_rejected`,
    says: 'refused the call',
    given: async () => payment({ from: await smartAccount('quiet'), signer: stranger }),
  },
  {
    when: 'the payer holds less than the amount',
    code: 'insufficient_funds',
    says: 'holds less USDC',
    given: () => payment({ ceiling: 501_0000000n }),
  },
  {
    when: 'the recipient has no trustline',
    code: `${P}recipient_trustline_missing`,
    says: `the recipient ${seller.publicKey()}`,
    given: () => {
      removeTrustline(seller)
      return payment()
    },
  },
  {
    when: 'the payer has no trustline',
    code: `${P}payer_trustline_missing`,
    says: `the payer ${payer.publicKey()}`,
    given: () => {
      removeTrustline(payer)
      return payment()
    },
  },
  {
    when: "the recipient's balance is frozen",
    code: `${P}trustline_not_authorized`,
    says: 'not authorized',
    given: () => {
      retrust(seller, { flags: 0 })
      return payment()
    },
  },
  {
    when: "the recipient's trustline is full",
    code: `${U}simulation_failed`,
    says: 'fails in simulation',
    given: () => {
      retrust(seller, { balance: 10n, limit: 10n })
      return payment()
    },
  },
  {
    when: 'the recipient does not exist',
    code: `${P}recipient_trustline_missing`,
    says: `the recipient ${stranger.publicKey()}`,
    given: () => payment({ payTo: stranger.publicKey() }),
  },
  {
    when: 'the recipient issues the asset',
    code: `${P}event_not_transfer`,
    says: "burn, expected only approve, transfer and upto_settled; the asset's issuer",
    given: () => payment({ payTo: issuer.publicKey() }),
  },
  {
    when: 'the settlement costs too much',
    code: `${U}fee_exceeds_maximum`,
    says: 'the ceiling is 1000',
    given: async () => ({
      payment: await payment(),
      policy: { ...policy, maxTxFeeStroops: 1_000n as PaymentPolicy['maxTxFeeStroops'] },
    }),
  },
  {
    when: 'the settlement contract is archived',
    code: 'invalid_upto_stellar_ledger_entry_restore_required',
    says: 'must be restored first',
    given: () => {
      for (const key of contractKeys()) {
        ledger.setLiveUntil(Buffer.from(key, 'hex'), ledger.sequence - 1)
      }
      return payment()
    },
  },
  {
    when: 'the token contract is archived',
    code: `${P}archived_state`,
    says: 'must be restored first',
    given: () => {
      const instance = contractKeys()[0]
      if (!instance) throw new Error('no contract instance')
      ledger.setLiveUntil(Buffer.from(instance, 'hex'), ledger.sequence - 1)
      return payment()
    },
  },
]
