import { xdr } from '@stellar/stellar-sdk'
import {
  addressValue,
  asset,
  callOf,
  channel,
  i128,
  invocationOf,
  keyOf,
  otherContract,
  payer,
  seller,
  signedEntry,
  smartAccount,
  smartAccountTransaction,
  sponsor,
  type transaction,
  unsignedEntry,
} from './payment-builder.ts'
import { muxed, muxedSeller, P, type Refused, transferOf, tx } from './refusal-row.ts'

const refusedOnceThePayerIsKnown: Refused[] = [
  {
    when: 'the transaction source is ours',
    code: `${P}unsafe_tx_or_op_source`,
    given: () => tx({ source: channel }),
    says: channel,
  },
  {
    when: 'the operation source is ours',
    code: `${P}unsafe_tx_or_op_source`,
    given: () => tx({ operationSource: sponsor }),
    says: sponsor,
  },
  {
    when: 'the call is to another contract',
    code: `${P}wrong_asset`,
    given: () => tx({ call: callOf({ contract: otherContract }) }),
    says: `the call is to contract ${otherContract}, expected ${asset}`,
  },
  {
    when: 'the recipient is another',
    code: `${P}wrong_recipient`,
    given: () =>
      transferOf([addressValue(payer), addressValue(keyOf(9).publicKey()), i128(100_000n)]),
    says: keyOf(9).publicKey(),
  },
  {
    when: 'the recipient is no address',
    code: `${P}wrong_recipient`,
    given: () => transferOf([addressValue(payer), i128(1n), i128(100_000n)]),
    says: 'a value of type i128',
  },
  {
    when: 'the recipient lacks the id of a muxed payTo',
    code: `${P}wrong_recipient`,
    given: () => ({ terms: { payTo: muxedSeller } }),
    says: muxedSeller,
  },
  {
    when: 'the payer pays itself',
    code: `${P}self_payment`,
    given: () =>
      tx(
        { call: callOf({ args: [addressValue(payer), addressValue(payer), i128(100_000n)] }) },
        { terms: { payTo: payer } },
      ),
    says: payer,
  },
  {
    when: 'the payer pays a muxed address of its own',
    code: `${P}self_payment`,
    given: () => {
      const own = muxed(payer, 1n)
      const args = [addressValue(payer), addressValue(own), i128(100_000n)]
      return tx({ call: callOf({ args }) }, { terms: { payTo: own } })
    },
    says: payer,
  },
  ...[99_999n, 100_001n, -100_000n, 100_000n + (1n << 64n)].map(
    (moved): Refused => ({
      when: `the call moves ${moved}`,
      code: `${P}wrong_amount`,
      given: () => transferOf([addressValue(payer), addressValue(seller), i128(moved)]),
      says: `of ${moved} base units, expected 100000`,
    }),
  ),
  {
    when: 'the amount is not an i128',
    code: `${P}wrong_amount`,
    given: () =>
      transferOf([addressValue(payer), addressValue(seller), xdr.ScVal.scvU64(100_000n)]),
    says: 'of type u64, expected i128',
  },
  ...Object.entries<NonNullable<Parameters<typeof transaction>[0]>['change'] & object>({
    ledgerBounds: (builder) => builder.setLedgerbounds(1, 2),
    minSeqNum: (builder) => builder.setMinAccountSequence('1'),
    minSeqAge: (builder) => builder.setMinAccountSequenceAge(1n),
    minSeqLedgerGap: (builder) => builder.setMinAccountSequenceLedgerGap(1),
    extraSigners: (builder) => builder.setExtraSigners([seller]),
  }).map(
    ([name, change]): Refused => ({
      when: `the transaction sets ${name}`,
      code: `${P}unsupported_preconditions`,
      given: () => tx({ change }),
      says: name,
    }),
  ),
  {
    when: 'the source account is to authorize',
    code: `${P}unsupported_credential_type`,
    given: () =>
      tx({
        auth: [
          new xdr.SorobanAuthorizationEntry({
            credentials: xdr.SorobanCredentials.sorobanCredentialsSourceAccount(),
            rootInvocation: invocationOf(callOf()),
          }),
        ],
      }),
    says: 'sourceAccount credentials',
  },
  {
    when: 'delegates are to authorize',
    code: `${P}unsupported_credential_type`,
    given: async () => {
      const { credentials, rootInvocation } = await signedEntry()
      if (credentials.type !== 'sorobanCredentialsAddressV2') throw new Error('not V2')
      const delegated = xdr.SorobanCredentials.sorobanCredentialsAddressWithDelegates(
        new xdr.SorobanAddressCredentialsWithDelegates({
          addressCredentials: credentials.addressV2,
          delegates: [],
        }),
      )
      return tx({
        auth: [new xdr.SorobanAuthorizationEntry({ credentials: delegated, rootInvocation })],
      })
    },
    says: 'addressWithDelegates credentials',
  },
  {
    when: 'nobody is to authorize',
    code: `${P}no_auth_entries`,
    given: () => tx({ auth: [] }),
    says: `expected one of ${payer}`,
  },
  {
    when: 'one of ours is to authorize',
    code: `${P}facilitator_in_auth`,
    given: async () => tx({ auth: [await signedEntry(), unsignedEntry({ address: channel })] }),
    says: channel,
  },
  {
    when: 'the authorization covers a further call',
    code: `${P}has_subinvocations`,
    given: async () =>
      tx({ auth: [await signedEntry({ subInvocations: [invocationOf(callOf())] })] }),
    says: 'covers 1 further calls',
  },
  {
    when: 'the payer has not signed',
    code: `${P}missing_payer_signature`,
    given: () => tx({ auth: [unsignedEntry()] }),
    says: 'carries no signature',
  },
  {
    when: 'the payer signed with nothing',
    code: `${P}missing_payer_signature`,
    given: () => tx({ auth: [unsignedEntry({ signature: xdr.ScVal.scvVec([]) })] }),
    says: 'carries no signature',
  },
  {
    when: 'only somebody else signed',
    code: `${P}missing_payer_signature`,
    given: async () =>
      tx({ auth: [await signedEntry({ address: keyOf(9).publicKey() }, keyOf(9))] }),
    says: `no authorization entry is of the payer ${payer}`,
  },
  {
    when: 'somebody else is to sign',
    code: `${P}unexpected_pending_signatures`,
    given: async () =>
      tx({ auth: [await signedEntry(), unsignedEntry({ address: keyOf(9).publicKey() })] }),
    says: keyOf(9).publicKey(),
  },
  {
    when: 'somebody else signed too',
    code: `${P}unexpected_pending_signatures`,
    given: async () =>
      tx({
        auth: [await signedEntry(), await signedEntry({ address: keyOf(9).publicKey() }, keyOf(9))],
      }),
    says: keyOf(9).publicKey(),
  },
  {
    when: 'the payer signed twice',
    code: `${P}unexpected_pending_signatures`,
    given: async () => tx({ auth: [await signedEntry(), await signedEntry({ nonce: 8n })] }),
    says: `expected only ${payer}`,
  },
  {
    when: 'the payer agreed to another amount',
    code: `${P}auth_invocation_mismatch`,
    given: async () => {
      const agreed = callOf({ args: [addressValue(payer), addressValue(seller), i128(1n)] })
      return tx({ auth: [await signedEntry({ call: agreed })] })
    },
    says: 'the operation makes another call',
  },
  {
    when: 'the payer agreed to another contract',
    code: `${P}auth_invocation_mismatch`,
    given: async () =>
      tx({ auth: [await signedEntry({ call: callOf({ contract: otherContract }) })] }),
    says: `a call of transfer at ${otherContract}`,
  },
]

/** Refusals that name the payer. */
export const onceThePayerIsKnown = refusedOnceThePayerIsKnown.map((row) => ({ ...row, payer }))

export const codesOfSmartAccounts: Refused[] = [
  {
    when: 'a smart account has not signed',
    code: `${P}missing_payer_signature`,
    given: async () => ({ transaction: await smartAccountTransaction(xdr.ScVal.scvVoid()) }),
    says: 'carries no signature',
    payer: smartAccount,
  },
  {
    when: 'a voucher of a smart account is not signed',
    code: `${P}unexpected_pending_signatures`,
    given: async () => ({
      transaction: await smartAccountTransaction(undefined, [
        unsignedEntry({ call: callOf({ contract: smartAccount, functionName: '__check_auth' }) }),
      ]),
    }),
    says: payer,
    payer: smartAccount,
  },
  {
    when: 'a stranger agrees to something else beside a smart account',
    code: `${P}unexpected_pending_signatures`,
    given: async () => ({
      transaction: await smartAccountTransaction(undefined, [await signedEntry()]),
    }),
    says: payer,
    payer: smartAccount,
  },
]
