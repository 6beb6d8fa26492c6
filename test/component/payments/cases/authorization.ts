import { Address, Keypair, xdr } from '@stellar/stellar-sdk'
import {
  callOf,
  invocationOf,
  type PaymentDraft,
  type PaymentPlan,
  signedEntry,
  unsignedEntry,
  usdc,
} from '../../../support/payments.ts'
import type { Provocation, RefusalCase } from '../refusal-case.ts'
import type { World } from '../world.ts'

const P = 'invalid_exact_stellar_payload_'

const refused =
  (plan: (world: World) => Partial<PaymentPlan>, message: (world: World) => string) =>
  async (world: World): Promise<Provocation> => ({
    body: await world.pay(plan(world)),
    message: message(world),
    payer: world.payer.address,
  })

const after = (afterwards: (draft: PaymentDraft) => void): Partial<PaymentPlan> => ({ afterwards })

/** With a further entry beside the payer's own. */
const besides =
  (
    another: (world: World) => Promise<xdr.SorobanAuthorizationEntry>,
    message: (w: World) => string,
  ) =>
  async (world: World): Promise<Provocation> => {
    const entry = await another(world)
    return refused(
      () => after(({ invocation }) => void invocation.auth.push(entry)),
      message,
    )(world)
  }

const stranger = { address: Keypair.random().publicKey(), key: Keypair.random() }

export const authorizationCases: readonly RefusalCase[] = [
  {
    code: `${P}unsupported_credential_type`,
    when: 'for the agreement of a source account',
    provoke: refused(
      () =>
        after(({ entry }) => {
          entry.credentials = xdr.SorobanCredentials.sorobanCredentialsSourceAccount()
        }),
      () => 'an authorization entry has sourceAccount credentials, expected address or addressV2',
    ),
  },
  {
    code: `${P}unsupported_credential_type`,
    when: 'for delegated signatures',
    provoke: refused(
      () =>
        after(({ entry, credentials: addressCredentials }) => {
          entry.credentials = xdr.SorobanCredentials.sorobanCredentialsAddressWithDelegates(
            new xdr.SorobanAddressCredentialsWithDelegates({ addressCredentials, delegates: [] }),
          )
        }),
      () =>
        'an authorization entry has addressWithDelegates credentials, expected address or addressV2',
    ),
  },
  {
    code: `${P}no_auth_entries`,
    when: 'for a call without entries',
    provoke: refused(
      () =>
        after(({ invocation }) => {
          invocation.auth = []
        }),
      ({ payer }) => `the operation has no authorization entry, expected one of ${payer.address}`,
    ),
  },
  {
    code: `${P}facilitator_in_auth`,
    when: 'for an entry of a channel',
    provoke: besides(
      async ({ channel, seller }) =>
        unsignedEntry({ payer: { ...stranger, address: channel }, payTo: seller.address }, 100),
      ({ channel }) =>
        `an authorization entry is of ${channel}, one of the facilitator's own accounts`,
    ),
  },
  {
    code: `${P}has_subinvocations`,
    when: 'for an agreement to further calls',
    provoke: refused(
      ({ payer, seller }) => ({
        beforeSigning: ({ rootInvocation }) => {
          rootInvocation.subInvocations.push(
            invocationOf(callOf({ payer, payTo: seller.address, amount: 1n })),
          )
        },
      }),
      ({ payer }) => `the authorization of ${payer.address} covers 1 further calls, expected none`,
    ),
  },
  {
    code: `${P}missing_payer_signature`,
    when: 'for an entry that is not signed',
    provoke: refused(
      () =>
        after(({ credentials }) => {
          credentials.signature = xdr.ScVal.scvVoid()
        }),
      ({ payer }) => `the authorization entry of ${payer.address} carries no signature`,
    ),
  },
  {
    code: `${P}missing_payer_signature`,
    when: 'for the entry of somebody else',
    provoke: refused(
      () =>
        after(({ credentials }) => {
          credentials.address = Address.fromString(stranger.address).toScAddress()
        }),
      ({ payer }) => `no authorization entry is of the payer ${payer.address}`,
    ),
  },
  {
    code: `${P}unexpected_pending_signatures`,
    when: 'for a second signed entry of the payer',
    provoke: besides(
      ({ stack, payer, seller }) =>
        signedEntry(stack.localnet, { payer, payTo: seller.address, nonce: 1n }),
      ({ payer }) =>
        `there is an authorization entry of ${payer.address} beyond the payer's, expected only ${payer.address}`,
    ),
  },
  {
    code: `${P}unexpected_pending_signatures`,
    when: 'for an entry of a stranger',
    provoke: besides(
      async ({ seller }) => unsignedEntry({ payer: stranger, payTo: seller.address }, 100),
      ({ payer }) =>
        `there is an authorization entry of ${stranger.address} beyond the payer's, expected only ${payer.address}`,
    ),
  },
  {
    code: `${P}auth_invocation_mismatch`,
    when: 'for a signature over another amount',
    provoke: refused(
      ({ payer, seller }) => ({
        beforeSigning: (entry) => {
          const agreed = callOf({ payer, payTo: seller.address, amount: 1n })
          entry.rootInvocation = invocationOf(agreed)
        },
      }),
      ({ payer }) =>
        `${payer.address} authorized a call of transfer at ${usdc}, the operation makes another call`,
    ),
  },
]

export const expiryCases: readonly RefusalCase[] = [
  {
    code: 'invalid_exact_stellar_signature_expired',
    when: 'for an entry that ended with the ledger before the newest',
    provoke: expiring(
      (newest) => newest - 1,
      (newest) => `the authorization expired after ledger ${newest - 1}, the newest is ${newest}`,
    ),
  },
  {
    code: 'invalid_exact_stellar_signature_expiration_too_soon',
    when: 'for an entry that ends with the newest ledger',
    provoke: expiring(
      (newest) => newest,
      (newest) =>
        `the authorization expires after ledger ${newest}, expected ${newest + 1} or later`,
    ),
  },
  {
    code: 'invalid_exact_stellar_signature_expiration_too_far',
    when: 'for an entry that outlives the timeout by far',
    provoke: expiring(
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
  message: (newest: number) => Provocation['message'],
): RefusalCase['provoke'] {
  return async (world) => {
    const newest = world.stack.localnet.network.latest.sequence
    return {
      body: await world.pay({ expirationLedger: expirationLedger(newest) }),
      message: message(newest),
      payer: world.payer.address,
    }
  }
}
