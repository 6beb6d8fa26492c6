/** Whose reserve an entry is held by: given, moved and taken back. */
import { Operation } from '@stellar/stellar-sdk'
import fc from 'fast-check'
import { accountIdOf, addressOf, unmuxed } from '../../../../../src/localnet/ledger/account-id.ts'
import type { Op } from '../../harness.ts'
import { actor, asset, ownAsset, type Town, who } from '../town.ts'
import { accountMerge, createAccount, manageData, signer } from './accounts.ts'
import { type Scene, scene } from './scene.ts'
import { changeTrust } from './trustlines.ts'

const revocable = ['account', 'trustline', 'data', 'signer'] as const

/** What is sponsored when a story begins. */
const ofThePatron: readonly Revocation[] = [
  { by: 8, who: 12, what: 'account', which: 1, other: 4 },
  { by: 8, who: 13, what: 'account', which: 1, other: 4 },
  { by: 8, who: 9, what: 'trustline', which: 1, other: 4 },
  { by: 8, who: 9, what: 'data', which: 1, other: 4 },
  { by: 8, who: 9, what: 'signer', which: 1, other: 4 },
]

export const revokeSponsorship = scene('revokeSponsorship', {
  weight: 4,
  plan: fc.oneof(
    fc.record({
      by: who,
      who,
      what: fc.constantFrom(...revocable),
      which: ownAsset,
      other: who,
    }),
    fc.constantFrom(...ofThePatron),
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

/** What a sponsor may pay for, and what ends or moves a sponsorship. */
const sponsored = fc.oneof(
  ...[createAccount, changeTrust, signer, manageData, revokeSponsorship, accountMerge],
)

export const sandwich: fc.WeightedArbitrary<Scene> = {
  weight: 10,
  arbitrary: fc
    .record({
      by: who,
      ward: who,
      filling: sponsored,
      // Mostly for what the filling makes, so that there is something to pay for.
      forWhom: fc.constantFrom('filling', 'filling', 'filling', 'ward'),
      ends: fc.constantFrom(true, true, true, true, true, true, true, false),
    })
    .map(({ by, ward, filling, forWhom, ends }) => ({
      write: (town: Town) => {
        const inside = filling.write(town)
        const sponsoredId = (forWhom === 'filling' && ownerOf(inside)) || actor(ward).publicKey()
        const source = actor(by).publicKey()
        const begin = Operation.beginSponsoringFutureReserves({ source, sponsoredId })
        const end = Operation.endSponsoringFutureReserves({ source: sponsoredId })
        return [begin, ...inside, ...(ends ? [end] : [])]
      },
      [fc.toStringMethod]: () =>
        `sponsored by ${by} for ${forWhom === 'filling' ? 'its owner' : ward}` +
        `${ends ? '' : ' without end'}: ${fc.stringify(filling)}`,
    })),
}

/** Who would own the entry that an operation makes. */
function ownerOf([operation]: readonly Op[]): string | undefined {
  if (!operation) return undefined
  const { body, sourceAccount } = operation
  if (body.type === 'createAccount') {
    return addressOf(accountIdOf(body.createAccountOp.destination))
  }
  return sourceAccount ? addressOf(unmuxed(sourceAccount)) : undefined
}
