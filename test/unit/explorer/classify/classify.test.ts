import { Keypair, xdr } from '@stellar/stellar-sdk'
import { describe, expect, test } from 'vitest'
import {
  type ClassifyOptions,
  classifyTransaction,
} from '../../../../src/explorer/classify/classify.ts'
import { metaOf } from '../../../support/explorer/synthetic-meta.ts'
import {
  asset,
  assetName,
  buyer,
  channel,
  contract,
  credentialsOf,
  mapData,
  NONCE,
  passphrase,
  type SyntheticPlan,
  seller,
  sponsor,
  synthetic,
  transferEvent,
  u64,
} from '../../../support/explorer/synthetic-transaction.ts'
import { addressValue, i128, invocationOf, muxed } from '../../../support/payments.ts'

const options: ClassifyOptions = { passphrase, uptoContracts: new Set(), watchedAssets: 'all' }
const classify = (plan: SyntheticPlan = {}, changes: Partial<ClassifyOptions> = {}) =>
  classifyTransaction(synthetic(plan), { ...options, ...changes })

const parties = [buyer, seller].map(addressValue)
const { SorobanCredentials: Credentials } = xdr

describe('a payment', () => {
  const plain = {
    scheme: 'exact',
    ledger: 9,
    closedAt: 1_045,
    txHash: synthetic().txHash,
    buyer,
    seller,
    amount: 100n,
    asset: contract,
    classic: { code: 'USDC', issuer: asset.getIssuer() },
    txSource: channel,
    feeCharged: 4_321n,
    sigExpirationLedger: 77,
  }

  test('has every fact of its transaction', () => {
    expect(classify()).toEqual({ payment: plain })
  })

  test('has the memo as text without zeros, the id as digits, a hash as hex', () => {
    const memoOf = (memo: xdr.Memo) => classify({ memo })
    const hash = new Uint8Array(32).fill(171)
    expect(memoOf(xdr.Memo.memoText('a\0é'))).toMatchObject({ payment: { memo: 'a\u{fffd}é' } })
    expect(memoOf(xdr.Memo.memoText(''))).toMatchObject({ payment: { memo: '' } })
    expect(memoOf(xdr.Memo.memoId(2n ** 64n - 1n))).toMatchObject({
      payment: { memo: '18446744073709551615' },
    })
    const hex = { payment: { memo: 'ab'.repeat(32) } }
    expect(memoOf(xdr.Memo.memoHash(hash))).toMatchObject(hex)
    expect(memoOf(xdr.Memo.memoReturn(hash))).toMatchObject(hex)
  })

  test('names the accounts behind muxed sources', () => {
    const plan = { source: muxed(channel), feeSource: muxed(sponsor), opSource: muxed(channel) }
    expect(classify(plan)).toMatchObject({ payment: { txSource: channel, feeSource: sponsor } })
  })

  test.each<{ form: string; credentials: xdr.SorobanCredentials }>([
    { form: 'the first form', credentials: Credentials.sorobanCredentialsAddress(credentialsOf()) },
    { form: 'version 2', credentials: Credentials.sorobanCredentialsAddressV2(credentialsOf()) },
    {
      form: 'the form with delegates',
      credentials: Credentials.sorobanCredentialsAddressWithDelegates(
        new xdr.SorobanAddressCredentialsWithDelegates({
          addressCredentials: credentialsOf(),
          delegates: [delegate([delegate()]), delegate()],
        }),
      ),
    },
  ])('is authorized by credentials of $form, of any entry', ({ credentials }) => {
    const others = [
      Credentials.sorobanCredentialsSourceAccount(),
      Credentials.sorobanCredentialsAddress(credentialsOf(sponsor, 5)),
    ]
    expect(classify({ credentials: [...others, credentials] })).toMatchObject({
      payment: { buyer, sigExpirationLedger: 77 },
    })
  })

  test('is read past authorized creations of contracts', () => {
    const invocation = (call: xdr.InvokeContractArgs) =>
      new xdr.SorobanAuthorizedInvocation({
        function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(call),
        subInvocations: creations(),
      })
    const first = Credentials.sorobanCredentialsAddress(credentialsOf(sponsor))
    const second = Credentials.sorobanCredentialsAddress(credentialsOf())
    expect(classify({ invocation, credentials: [first, second] })).toHaveProperty('payment')
  })

  test('has the id of a muxed recipient from the call, else from a number in the event', () => {
    const named = [...parties, assetName]
    const withId = (id: xdr.ScVal, to = seller) =>
      classify({
        args: [addressValue(buyer), addressValue(to), i128(100n)],
        events: [transferEvent(mapData(id), named)],
      })
    expect(withId(u64(8n), muxed(seller, 7n))).toMatchObject({ payment: { seller, muxedId: 7n } })
    expect(withId(u64(8n))).toMatchObject({ payment: { seller, muxedId: 8n } })
    const memos = [xdr.ScVal.scvString('order'), xdr.ScVal.scvBytes(new Uint8Array(32))]
    for (const memo of memos) {
      const { payment } = withId(memo) as { payment: object }
      expect(payment).toMatchObject({ seller, amount: 100n })
      expect(payment).not.toHaveProperty('muxedId')
    }
  })

  test('has a classic asset only when its contract is derived from that name', () => {
    const other = new Set(['USDC:nobody', `USDC:${seller}`, 'native', 'USDC', 'A:B:C', ''])
    for (const name of other) {
      const events = [transferEvent(i128(100n), [...parties, xdr.ScVal.scvString(name)])]
      const found = classify({ events, meta: metaOf({ used: [NONCE] }) })
      expect(found).toMatchObject({ payment: { asset: contract } })
      expect(found).not.toHaveProperty('payment.classic')
    }
  })

  test('in a token of its own needs the use of the authorization, not an entry beside', () => {
    const events = [transferEvent(i128(100n), parties)]
    const refused = { skipped: 'not_authorized_by_sender' }
    const elsewhere = (call: xdr.InvokeContractArgs) =>
      invocationOf(new xdr.InvokeContractArgs({ ...call, functionName: 'other' }))

    expect(classify({ events, meta: metaOf({ used: [NONCE] }) })).toHaveProperty('payment')
    expect(classify({ events, meta: metaOf() })).toEqual(refused)
    expect(classify({ events, meta: metaOf({ used: [8n] }) })).toEqual(refused)
    const usedByOther = { address: seller, nonce: NONCE }
    expect(classify({ events, meta: metaOf({ usedByOther }) })).toEqual(refused)
    const used = metaOf({ used: [NONCE] })
    expect(classify({ events, meta: used, invocation: elsewhere })).toEqual(refused)
    expect(classify({ events })).toEqual(refused)
  })
})

function delegate(nestedDelegates: xdr.SorobanDelegateSignature[] = []) {
  const { address, signature } = credentialsOf(Keypair.random().publicKey())
  return new xdr.SorobanDelegateSignature({ address, signature, nestedDelegates })
}

/** Of every form. */
function creations(): xdr.SorobanAuthorizedInvocation[] {
  const { SorobanAuthorizedFunction: Authorized } = xdr
  const fromAddress = xdr.ContractIdPreimage.contractIdPreimageFromAddress(
    new xdr.ContractIdPreimageFromAddress({
      address: credentialsOf().address,
      salt: new Uint8Array(32),
    }),
  )
  const fromAsset = (each: xdr.Asset) => xdr.ContractIdPreimage.contractIdPreimageFromAsset(each)
  const wasm = xdr.ContractExecutable.contractExecutableWasm(new Uint8Array(32))
  const token = xdr.ContractExecutable.contractExecutableStellarAsset()
  const functions = [
    Authorized.sorobanAuthorizedFunctionTypeCreateContractHostFn(
      new xdr.CreateContractArgs({ contractIdPreimage: fromAddress, executable: wasm }),
    ),
    ...[xdr.Asset.assetTypeNative(), asset.toXdrObject()].map((each) =>
      Authorized.sorobanAuthorizedFunctionTypeCreateContractHostFn(
        new xdr.CreateContractArgs({ contractIdPreimage: fromAsset(each), executable: token }),
      ),
    ),
    Authorized.sorobanAuthorizedFunctionTypeCreateContractV2HostFn(
      new xdr.CreateContractArgsV2({
        contractIdPreimage: fromAddress,
        executable: wasm,
        constructorArgs: [i128(1n)],
      }),
    ),
  ]
  return functions.map(
    (each) => new xdr.SorobanAuthorizedInvocation({ function: each, subInvocations: [] }),
  )
}
