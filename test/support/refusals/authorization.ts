import { Address, Keypair, xdr } from '@stellar/stellar-sdk'
import { usdcContracts } from '../../../src/platform/core/caip2.ts'
import {
  callOf,
  invocationOf,
  type PaymentDraft,
  type PaymentPlan,
  unsignedEntry,
  usdc,
  type Wallet,
} from '../payments.ts'
import { P, type Parties, type RefusalRow, withPayer } from './refusal.ts'

const after = (afterwards: (draft: PaymentDraft) => void): Partial<PaymentPlan> => ({ afterwards })

/** With a further authorization entry beside the payer's own. */
const besides =
  (
    another: (parties: Parties) => Promise<xdr.SorobanAuthorizationEntry>,
    message: (parties: Parties) => string | RegExp,
    plan: Partial<PaymentPlan> = {},
  ): RefusalRow['build'] =>
  async (parties) => {
    const entry = await another(parties)
    return withPayer(
      { ...plan, ...after(({ invocation }) => void invocation.auth.push(entry)) },
      message,
    )(parties)
  }

const walletOf = (key: Keypair, address = key.publicKey()): Wallet => ({ address, key })
const stranger = walletOf(Keypair.random())
/** No contract is there; these payments are refused before the ledger is read. */
const smartAccount = walletOf(
  Keypair.random(),
  'CA3D5KRYM6CB7OWQ6TWYRR3Z4T7GNZLKERYNZGGA5SOAOPIFY6YQGAXE',
)
const EXPIRATION_LEDGER = 100

const unsigned = (plan: PaymentPlan) => unsignedEntry(plan, EXPIRATION_LEDGER)

const signature = (value: xdr.ScVal): Partial<PaymentPlan> =>
  after(({ credentials }) => {
    credentials.signature = value
  })

const noSignature = ({ payer }: Pick<Parties, 'payer'>) =>
  `the authorization entry of ${payer.address} carries no signature`

const surplus = (address: string, payer: string) =>
  `there is an authorization entry of ${address} besides the payer's, expected only ${payer}`

/** The payer signed another call than the operation makes. */
const agreedTo = (
  when: string,
  change: Partial<PaymentPlan>,
  message: (parties: Parties) => string,
): RefusalRow => ({
  code: `${P}auth_invocation_mismatch`,
  when,
  build: withPayer(
    ({ payer, seller }) => ({
      beforeSigning: (entry) => {
        entry.rootInvocation = invocationOf(callOf({ payer, payTo: seller.address, ...change }))
      },
    }),
    message,
  ),
})

export const authorizationRefusals: readonly RefusalRow[] = [
  {
    code: `${P}unsupported_credential_type`,
    when: 'for the agreement of a source account',
    build: withPayer(
      after(({ entry }) => {
        entry.credentials = xdr.SorobanCredentials.sorobanCredentialsSourceAccount()
      }),
      'an authorization entry has sourceAccount credentials, expected address or addressV2',
    ),
  },
  {
    code: `${P}unsupported_credential_type`,
    when: 'for delegated signatures',
    build: withPayer(
      after(({ entry, credentials: addressCredentials }) => {
        entry.credentials = xdr.SorobanCredentials.sorobanCredentialsAddressWithDelegates(
          new xdr.SorobanAddressCredentialsWithDelegates({ addressCredentials, delegates: [] }),
        )
      }),
      'an authorization entry has addressWithDelegates credentials, expected address or addressV2',
    ),
  },
  {
    code: `${P}no_auth_entries`,
    when: 'for a call without entries',
    build: withPayer(
      after(({ invocation }) => {
        invocation.auth = []
      }),
      ({ payer }) => `the operation has no authorization entry, expected one of ${payer.address}`,
    ),
  },
  {
    code: `${P}facilitator_in_auth`,
    when: 'for an entry of a channel',
    build: besides(
      async ({ channel, seller }) =>
        unsigned({ payer: { ...stranger, address: channel }, payTo: seller.address }),
      ({ channel }) =>
        `an authorization entry is for ${channel}, one of the facilitator's own accounts`,
    ),
  },
  {
    code: `${P}has_subinvocations`,
    when: 'for an agreement to further calls',
    build: withPayer(
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
    build: withPayer(signature(xdr.ScVal.scvVoid()), noSignature),
  },
  {
    code: `${P}missing_payer_signature`,
    when: 'for an empty list of signatures',
    build: withPayer(signature(xdr.ScVal.scvVec([])), noSignature),
  },
  {
    code: `${P}missing_payer_signature`,
    when: 'for the entry of another account',
    build: withPayer(
      after(({ credentials }) => {
        credentials.address = Address.fromString(stranger.address).toScAddress()
      }),
      ({ payer }) => `no authorization entry is for the payer ${payer.address}`,
    ),
  },
  {
    code: `${P}missing_payer_signature`,
    when: 'for a smart account that has not signed',
    build: withPayer(
      { payer: smartAccount, ...signature(xdr.ScVal.scvVoid()) },
      noSignature({ payer: smartAccount }),
    ),
  },
  {
    code: `${P}unexpected_pending_signatures`,
    when: 'for a second signed entry of the payer',
    build: besides(
      ({ authorize }) => authorize({ nonce: 1n }),
      ({ payer }) => surplus(payer.address, payer.address),
    ),
  },
  {
    code: `${P}unexpected_pending_signatures`,
    when: 'for an unsigned entry of another account',
    build: besides(
      async ({ seller }) => unsigned({ payer: stranger, payTo: seller.address }),
      ({ payer }) => surplus(stranger.address, payer.address),
    ),
  },
  {
    code: `${P}unexpected_pending_signatures`,
    when: 'for a signed entry of another account',
    build: besides(
      ({ authorize }) => authorize({ payer: stranger }),
      ({ payer }) => surplus(stranger.address, payer.address),
    ),
  },
  {
    code: `${P}unexpected_pending_signatures`,
    when: 'for a smart account with an unsigned entry of its signer',
    build: besides(
      async ({ payer, seller }) =>
        unsigned({
          payer,
          payTo: seller.address,
          call: { contract: smartAccount.address, functionName: '__check_auth' },
        }),
      ({ payer }) => surplus(payer.address, smartAccount.address),
      { payer: smartAccount },
    ),
  },
  {
    code: `${P}unexpected_pending_signatures`,
    when: 'for a smart account beside an account that agreed to another call',
    build: besides(
      ({ authorize }) => authorize(),
      ({ payer }) => surplus(payer.address, smartAccount.address),
      { payer: smartAccount },
    ),
  },
  agreedTo(
    'for a signature over another amount',
    { amount: 1n },
    ({ payer }) =>
      `${payer.address} authorized a call of transfer at ${usdc}, the operation makes another call`,
  ),
  agreedTo(
    'for a signature over another contract',
    { asset: usdcContracts['stellar:pubnet'] },
    ({ payer }) =>
      `${payer.address} authorized a call of transfer at ${usdcContracts['stellar:pubnet']}, the operation makes another call`,
  ),
]
