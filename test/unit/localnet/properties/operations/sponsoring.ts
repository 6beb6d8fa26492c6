/** Operations that begin, transfer and revoke sponsorships. */
import { Operation } from '@stellar/stellar-sdk'
import fc from 'fast-check'
import { accountIdOf, addressOf, unmuxed } from '../../../../../src/localnet/ledger/account-id.ts'
import type { Op } from '../../harness.ts'
import { actor, asset, ownAsset, who } from '../accounts.ts'
import type { RecordedNetwork } from '../recorded-network.ts'
import { accountMerge, createAccount, manageData, signer } from './accounts.ts'
import { type OperationPlan, operationPlan } from './operation-plan.ts'
import { changeTrust } from './trustlines.ts'

const revocable = ['account', 'trustline', 'data', 'signer'] as const

/** The sponsored entries of the initial ledger. */
const existingSponsorships: readonly Revocation[] = [
  { by: 8, who: 12, what: 'account', which: 1, other: 4 },
  { by: 8, who: 13, what: 'account', which: 1, other: 4 },
  { by: 8, who: 9, what: 'trustline', which: 1, other: 4 },
  { by: 8, who: 9, what: 'data', which: 1, other: 4 },
  { by: 8, who: 9, what: 'signer', which: 1, other: 4 },
]

export const revokeSponsorship = operationPlan('revokeSponsorship', {
  weight: 4,
  plan: fc.oneof(
    fc.record({
      by: who,
      who,
      what: fc.constantFrom(...revocable),
      which: ownAsset,
      other: who,
    }),
    fc.constantFrom(...existingSponsorships),
  ),
  write: (plan) => revocation(plan),
})

interface Revocation {
  readonly by: number
  readonly who: number
  readonly what: (typeof revocable)[number]
  readonly which: number
  readonly other: number
}

function revocation({ by, who: owner, what, which, other }: Revocation): Op {
  const source = actor(by).publicKey()
  const account = actor(owner).publicKey()
  switch (what) {
    case 'account':
      return Operation.revokeAccountSponsorship({ source, account })
    case 'trustline':
      return Operation.revokeTrustlineSponsorship({ source, account, asset: asset(which) })
    case 'data':
      return Operation.revokeDataSponsorship({ source, account, name: 'a' })
    case 'signer':
      return Operation.revokeSignerSponsorship({
        source,
        account,
        signer: { ed25519PublicKey: actor(other).publicKey() },
      })
  }
}

/** Operations that create, transfer or end a sponsorship. */
const inner = fc.oneof(
  ...[createAccount, changeTrust, signer, manageData, revokeSponsorship, accountMerge],
)

export const sponsoredOperations: fc.WeightedArbitrary<OperationPlan> = {
  weight: 10,
  arbitrary: fc
    .record({
      by: who,
      sponsored: who,
      inner,
      // Mostly for the owner of the inner entry, so that the sponsor pays for it.
      forWhom: fc.constantFrom('owner', 'owner', 'owner', 'sponsored'),
      ends: fc.constantFrom(true, true, true, true, true, true, true, false),
    })
    .map(({ by, sponsored, inner: plan, forWhom, ends }) => ({
      write: (network: RecordedNetwork) => {
        const inside = plan.write(network)
        const sponsoredId = (forWhom === 'owner' && ownerOf(inside)) || actor(sponsored).publicKey()
        const source = actor(by).publicKey()
        const begin = Operation.beginSponsoringFutureReserves({ source, sponsoredId })
        const end = Operation.endSponsoringFutureReserves({ source: sponsoredId })
        return [begin, ...inside, ...(ends ? [end] : [])]
      },
      [fc.toStringMethod]: () =>
        `sponsored by ${by} for ${forWhom === 'owner' ? 'its owner' : sponsored}` +
        `${ends ? '' : ' without end'}: ${fc.stringify(plan)}`,
    })),
}

/** The owner of the entry that the operation creates. */
function ownerOf([operation]: readonly Op[]): string | undefined {
  if (!operation) return undefined
  const { body, sourceAccount } = operation
  if (body.type === 'createAccount') {
    return addressOf(accountIdOf(body.createAccountOp.destination))
  }
  return sourceAccount ? addressOf(unmuxed(sourceAccount)) : undefined
}
