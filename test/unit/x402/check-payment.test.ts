import { Asset, encodeMuxedAccountToAddress, Operation, xdr } from '@stellar/stellar-sdk'
import { describe, expect, it, test } from 'vitest'
import { checkPayment } from '../../../src/x402/check-payment.ts'
import type { ReasonCode } from '../../../src/x402/reasons.ts'
import {
  addressValue,
  asset,
  callOf,
  channel,
  i128,
  invocationOf,
  keyOf,
  nullAccount,
  otherContract,
  payer,
  policy,
  type RequestOptions,
  request,
  seller,
  signedEntry,
  smartAccount,
  smartAccountTransaction,
  sponsor,
  transaction,
  unsignedEntry,
} from './payment-builder.ts'

const muxed = (address: string, id: bigint): string =>
  encodeMuxedAccountToAddress(
    xdr.MuxedAccount.keyTypeMuxedEd25519(
      new xdr.MuxedAccountMed25519({
        id,
        ed25519: xdr.MuxedAccount.keyTypeEd25519(keyOf(address === seller ? 2 : 1).rawPublicKey())
          .ed25519,
      }),
    ),
  )

const muxedSeller = muxed(seller, 42n)

const P = 'invalid_exact_stellar_payload_'
const R = 'invalid_exact_stellar_requirements_'

interface Refused {
  when: string
  code: ReasonCode
  given: () => RequestOptions | Promise<RequestOptions>
  /** Part of the message: what was expected or seen. */
  says: string
  payer?: string
}

const tx = async (
  options: Parameters<typeof transaction>[0],
  more: RequestOptions = {},
): Promise<RequestOptions> => ({ transaction: await transaction(options), ...more })

/** A call whose authorization covers the very same call. */
const transferOf = (args: xdr.ScVal[]) => tx({ call: callOf({ args }) })

const beforeThePayerIsKnown: Refused[] = [
  {
    when: 'the version is 1',
    code: 'invalid_x402_version',
    given: () => ({ x402Version: 1 }),
    says: 'x402Version is 1, expected 2',
  },
  {
    when: 'only the version of the payload is 1',
    code: 'invalid_x402_version',
    given: () => ({ payloadVersion: 1 }),
    says: 'x402Version is 1',
  },
  {
    when: 'the scheme is another',
    code: 'unsupported_scheme',
    given: () => ({ terms: { scheme: 'upto' } }),
    says: 'scheme is upto, expected exact',
  },
  {
    when: 'the accepted scheme alone is another',
    code: 'unsupported_scheme',
    given: () => ({ accepted: { scheme: 'upto' } }),
    says: 'scheme is upto',
  },
  {
    when: 'the network is another',
    code: 'invalid_network',
    given: () => ({ terms: { network: 'stellar:pubnet' } }),
    says: 'network is stellar:pubnet, expected stellar:testnet',
  },
  {
    when: 'the accepted network alone is another',
    code: 'network_mismatch',
    given: () => ({ accepted: { network: 'stellar:pubnet' } }),
    says: 'stellar:pubnet',
  },
  {
    when: 'the transaction is missing',
    code: 'invalid_payload',
    given: () => ({ transaction: undefined }),
    says: 'payload.transaction is missing',
  },
  {
    when: 'the transaction is not text',
    code: 'invalid_payload',
    given: () => ({ transaction: 5 }),
    says: 'of type number',
  },
  {
    when: 'the asset is none of ours',
    code: `${R}asset_not_accepted`,
    given: () => ({ terms: { asset: otherContract } }),
    says: `accepted here: USDC (${asset})`,
  },
  {
    when: 'the asset is missing',
    code: `${R}asset_not_accepted`,
    given: () => ({ terms: { asset: undefined } }),
    says: 'asset is missing',
  },
  ...[undefined, 'nobody', `${seller.slice(0, -1)}A`, keyOf(2).secret()].map(
    (payTo): Refused => ({
      when: `payTo is ${payTo}`,
      code: `${R}invalid_pay_to`,
      given: () => ({ terms: { payTo } }),
      says: 'expected a G, C or M address',
    }),
  ),
  {
    when: 'payTo is a channel',
    code: `${R}invalid_pay_to`,
    given: () => ({ terms: { payTo: channel } }),
    says: "one of the facilitator's own accounts",
  },
  ...[undefined, '', '0', '-5', '05', '1.5', '1e5', ' 5', '0x10', (2n ** 127n).toString()].map(
    (amount): Refused => ({
      when: `the amount is ${JSON.stringify(amount)}`,
      code: `${R}invalid_amount`,
      given: () => ({ terms: { amount } }),
      says: 'expected a positive whole number',
    }),
  ),
  {
    when: 'the amount is below the least',
    code: `${R}amount_out_of_range`,
    given: () => ({ terms: { amount: '9' } }),
    says: 'amount is 9, expected at least 10',
  },
  {
    when: 'the amount is above the most',
    code: `${R}amount_out_of_range`,
    given: () => ({ terms: { amount: '1000000001' } }),
    says: 'expected at most 1000000000',
  },
  ...[undefined, 9, 301, 60.5, Number.NaN].map(
    (maxTimeoutSeconds): Refused => ({
      when: `the timeout is ${maxTimeoutSeconds}`,
      code: `${R}timeout_out_of_range`,
      given: () => ({ terms: { maxTimeoutSeconds } }),
      says: 'expected a whole number from 10 to 300',
    }),
  ),
  ...[undefined, {}, { areFeesSponsored: false }, { areFeesSponsored: 'true' }].map(
    (extra): Refused => ({
      when: `extra is ${JSON.stringify(extra)}`,
      code: `${R}fees_not_sponsored`,
      given: () => ({ terms: { extra } }),
      says: 'expected true',
    }),
  ),
  ...Object.entries({
    asset: otherContract,
    payTo: payer,
    amount: '100001',
    maxTimeoutSeconds: 61,
    extra: { areFeesSponsored: false },
  }).flatMap(([member, value]): Refused[] =>
    [value, undefined].map((seen) => ({
      when: `accepted.${member} is ${JSON.stringify(seen)}`,
      code: `${P}accepted_mismatch`,
      given: () => ({ accepted: { [member]: seen } }),
      says: `accepted.${member}`,
    })),
  ),
  {
    when: 'the transaction is longer than is read',
    code: `${P}too_large`,
    given: () => ({ transaction: 'A'.repeat(64 * 1024 + 4) }),
    says: '65540 base64 characters',
  },
  ...['', 'not base64!', 'AAAAAgAAAAA='].map(
    (transaction): Refused => ({
      when: `the transaction is ${JSON.stringify(transaction)}`,
      code: `${P}malformed`,
      given: () => ({ transaction }),
      says: 'the transaction is',
    }),
  ),
  {
    when: 'there are two operations',
    code: `${P}wrong_operation`,
    given: () =>
      tx({
        change: (builder) => builder.addOperation(Operation.bumpSequence({ bumpTo: '1' })),
      }),
    says: 'the transaction has 2 operations',
  },
  {
    when: 'there is no operation',
    code: `${P}wrong_operation`,
    given: () => tx({ change: (builder) => builder.clearOperations() }),
    says: 'the transaction has 0 operations',
  },
  {
    when: 'the operation is a payment',
    code: `${P}wrong_operation`,
    given: () =>
      tx({
        change: (builder) =>
          builder
            .clearOperations()
            .addOperation(
              Operation.payment({ destination: seller, asset: Asset.native(), amount: '1' }),
            ),
      }),
    says: 'the operation is payment',
  },
  {
    when: 'the operation uploads a contract',
    code: `${P}wrong_operation`,
    given: () =>
      tx({
        change: (builder) =>
          builder
            .clearOperations()
            .addOperation(Operation.uploadContractWasm({ wasm: new Uint8Array(8) })),
      }),
    says: 'uploads or creates a contract',
  },
  {
    when: 'the function is another',
    code: `${P}wrong_function_name`,
    given: () => tx({ call: callOf({ functionName: 'transfer_from' }) }),
    says: 'the call is transfer_from with 3 arguments',
  },
  {
    when: 'an argument is missing',
    code: `${P}wrong_function_name`,
    given: () => transferOf([addressValue(payer), addressValue(seller)]),
    says: 'transfer with 2 arguments',
  },
  {
    when: 'the payer is no address',
    code: `${P}malformed`,
    given: () => transferOf([i128(1n), addressValue(seller), i128(100_000n)]),
    says: 'argument 0',
  },
  {
    when: 'the payer is a muxed address',
    code: `${P}malformed`,
    given: () => transferOf([addressValue(muxed(payer, 1n)), addressValue(seller), i128(100_000n)]),
    says: 'argument 0',
  },
  {
    when: 'the payer is ours',
    code: `${P}facilitator_is_payer`,
    given: () => transferOf([addressValue(sponsor), addressValue(seller), i128(100_000n)]),
    says: "one of the facilitator's own accounts",
  },
]

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

const onceThePayerIsKnown = refusedOnceThePayerIsKnown.map((row) => ({ ...row, payer }))

const codesOfSmartAccounts: Refused[] = [
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

describe('checkPayment refuses', () => {
  test.each([...beforeThePayerIsKnown, ...onceThePayerIsKnown, ...codesOfSmartAccounts])(
    'with $code when $when',
    async ({ code, given, says, payer: named }) => {
      const verdict = checkPayment(await request(await given()), policy)
      if (verdict.ok) throw new Error('the payment was accepted')
      expect(verdict.refusal).toEqual({
        code,
        message: expect.stringContaining(says),
        ...(named && { payer: named }),
      })
    },
  )

  it('a source behind a muxed address of ours', async () => {
    const own = encodeMuxedAccountToAddress(
      xdr.MuxedAccount.keyTypeMuxedEd25519(
        new xdr.MuxedAccountMed25519({ id: 5n, ed25519: keyOf(4).rawPublicKey() }),
      ),
    )
    const verdict = checkPayment(await request(await tx({ operationSource: own })), policy)
    expect(verdict).toMatchObject({
      refusal: { code: `${P}unsafe_tx_or_op_source`, message: expect.stringContaining(own) },
    })
  })

  it('a memo, which no sponsored settlement could carry', async () => {
    const envelope = xdr.TransactionEnvelope.fromXdr(await transaction(), 'base64')
    if (envelope.type !== 'envelopeTypeTx') throw new Error('not version 1')
    const { tx: inner, signatures } = envelope.v1
    const withMemo = xdr.TransactionEnvelope.envelopeTypeTx(
      new xdr.TransactionV1Envelope({
        tx: new xdr.Transaction({ ...inner, memo: xdr.Memo.memoId(1n) }),
        signatures,
      }),
    )
    const given = await request({ transaction: withMemo.toXdr('base64') })
    expect(checkPayment(given, policy)).toMatchObject({
      refusal: {
        code: `${P}unsupported_preconditions`,
        message: expect.stringContaining('sets memo'),
      },
    })
  })

  it('with the first reason in order when several apply', async () => {
    const given = await request({ x402Version: 1, terms: { amount: '0' }, transaction: '' })
    expect(checkPayment(given, policy)).toMatchObject({ refusal: { code: 'invalid_x402_version' } })
  })
})

describe('checkPayment accepts', () => {
  test.each(['V1', 'V2'] as const)('%s credentials', async (version) => {
    const auth = [await signedEntry({ version })]
    const verdict = checkPayment(await request(await tx({ auth })), policy)
    expect(verdict).toMatchObject({
      ok: true,
      payment: {
        payer,
        payTo: seller,
        amount: 100_000n,
        maxTimeoutSeconds: 60,
        asset: { symbol: 'USDC' },
        authorization: { nonce: 7n, expirationLedger: 1_010, address: payer },
      },
    })
  })

  it('a muxed recipient that is called by its muxed address', async () => {
    const args = [addressValue(payer), addressValue(muxedSeller), i128(100_000n)]
    const given = await tx({ call: callOf({ args }) }, { terms: { payTo: muxedSeller } })
    expect(checkPayment(await request(given), policy)).toMatchObject({
      ok: true,
      payment: { payTo: muxedSeller },
    })
  })

  it('a contract as recipient', async () => {
    const args = [addressValue(payer), addressValue(smartAccount), i128(100_000n)]
    const given = await tx({ call: callOf({ args }) }, { terms: { payTo: smartAccount } })
    expect(checkPayment(await request(given), policy)).toMatchObject({ ok: true })
  })

  it('a smart account as payer, whatever its signature looks like', async () => {
    const given = await request({ transaction: await smartAccountTransaction() })
    expect(checkPayment(given, policy)).toMatchObject({
      ok: true,
      payment: { payer: smartAccount },
    })
  })

  it('others who vouch for a smart account, and agree to nothing else', async () => {
    const vouching = callOf({ contract: smartAccount, functionName: '__check_auth', args: [] })
    const transaction = await smartAccountTransaction(undefined, [
      await signedEntry({ call: vouching }),
    ])
    expect(checkPayment(await request({ transaction }), policy)).toMatchObject({ ok: true })
  })

  test.each([
    ['the payer as source', { source: payer, operationSource: payer }],
    ['the all-zero account as source', { source: nullAccount }],
  ])('%s', async (_, sources) => {
    expect(checkPayment(await request(await tx(sources)), policy)).toMatchObject({ ok: true })
  })

  it('members it does not know', async () => {
    const given = await request({ terms: { note: 'hello' }, accepted: { note: 'other' } })
    expect(checkPayment(given, policy)).toMatchObject({ ok: true })
  })

  it('an envelope that carries signatures, which mean nothing here', async () => {
    const envelope = xdr.TransactionEnvelope.fromXdr(await transaction(), 'base64')
    if (envelope.type !== 'envelopeTypeTx') throw new Error('not version 1')
    const signed = xdr.TransactionEnvelope.envelopeTypeTx(
      new xdr.TransactionV1Envelope({
        tx: envelope.v1.tx,
        signatures: [
          new xdr.DecoratedSignature({ hint: new Uint8Array(4), signature: new Uint8Array(64) }),
        ],
      }),
    )
    const given = await request({ transaction: signed.toXdr('base64') })
    expect(checkPayment(given, policy)).toMatchObject({ ok: true })
  })
})
