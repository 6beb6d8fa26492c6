import { Address, hash, Keypair, nativeToScVal, xdr } from '@stellar/stellar-sdk'
import { describe, expect, test } from 'vitest'
import type { Offer } from '../../../../src/buying/offer/offer.ts'
import { transferSigner } from '../../../../src/buying/sign/transfer-signer.ts'
import { RefusedOffer } from '../../../../src/buying/upto/client.ts'
import { passphrases, usdcContracts } from '../../../../src/platform/core/caip2.ts'

const network = 'stellar:testnet'
const asset = usdcContracts[network]
const other = usdcContracts['stellar:pubnet']
const payer = Keypair.random().publicKey()
const payTo = Keypair.random().publicKey()
const terms = { scheme: 'exact', network, asset, amount: '100', payTo, extra: {} } as const
const offer: Offer = {
  ...terms,
  amount: 100n,
  maxTimeoutSeconds: 60,
  terms: { ...terms, maxTimeoutSeconds: 60 },
  fingerprint: '',
}

const address = (text: string) => nativeToScVal(text, { type: 'address' })
const i128 = (units: bigint) => nativeToScVal(units, { type: 'i128' })

interface Call {
  readonly contract?: string
  readonly functionName?: string
  readonly args?: readonly xdr.ScVal[]
  readonly under?: readonly xdr.SorobanAuthorizedInvocation[]
}

function invocation({
  contract = asset,
  functionName = 'transfer',
  args = [address(payer), address(payTo), i128(100n)],
  under = [],
}: Call) {
  const invoked = new xdr.InvokeContractArgs({
    contractAddress: Address.fromString(contract).toScAddress(),
    functionName,
    args: [...args],
  })
  return new xdr.SorobanAuthorizedInvocation({
    function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(invoked),
    subInvocations: [...under],
  })
}

const preimage = (call: Call, signatureExpirationLedger = 100): string =>
  xdr.HashIdPreimage.envelopeTypeSorobanAuthorization(
    new xdr.HashIdPreimageSorobanAuthorization({
      networkId: hash(Buffer.from(passphrases[network])),
      nonce: 7n,
      signatureExpirationLedger,
      invocation: invocation(call),
    }),
  ).toXdr('base64')

/** Of the wallet, which would sign anything. */
function wallet(record: (trace: { nonce: bigint; lastLedger: number }) => void = () => undefined) {
  const signed: string[] = []
  const signAuthEntry = async (text: string) => {
    signed.push(text)
    return { signedAuthEntry: 'signature' }
  }
  return {
    signed,
    signer: transferSigner({ address: payer, signAuthEntry }, offer, { afterLedger: 90, record }),
  }
}

describe('transferSigner', () => {
  test('signs the transfer of the price', async () => {
    const { signer, signed } = wallet()
    await expect(signer.signAuthEntry(preimage({}))).resolves.toEqual({
      signedAuthEntry: 'signature',
    })
    expect(signed).toEqual([preimage({})])
  })

  test('signs once: a second signature would move the price again', async () => {
    const { signer, signed } = wallet()
    await signer.signAuthEntry(preimage({}))
    await expect(signer.signAuthEntry(preimage({}))).rejects.toThrow(RefusedOffer)
    expect(signed).toHaveLength(1)
  })

  test('records the authorization before it signs, and signs nothing that cannot be recorded', async () => {
    const order: unknown[] = []
    const recorded = wallet((trace) => order.push(trace, [...recorded.signed]))
    await recorded.signer.signAuthEntry(preimage({}))
    expect(order).toEqual([{ nonce: 7n, lastLedger: 100 }, []])
    const { signer, signed } = wallet(() => {
      throw new Error('the disk is full')
    })
    await expect(signer.signAuthEntry(preimage({}))).rejects.toThrow('the disk is full')
    expect(signed).toEqual([])
  })

  test('signs nothing that is valid for longer than any offer', async () => {
    const { signer, signed } = wallet()
    await expect(signer.signAuthEntry(preimage({}, 421))).rejects.toThrow(/more than 330 ledgers/)
    await signer.signAuthEntry(preimage({}, 420))
    expect(signed).toHaveLength(1)
  })

  const drain = invocation({
    contract: other,
    args: [address(payer), address(other), i128(10n ** 12n)],
  })
  test.each<{ when: string; call: Call; says: RegExp }>([
    { when: 'more', call: { args: [address(payer), address(payTo), i128(101n)] }, says: /another/ },
    {
      when: 'a transfer to another',
      call: { args: [address(payer), address(other), i128(100n)] },
      says: /another/,
    },
    {
      when: 'a transfer of another',
      call: { args: [address(payTo), address(payTo), i128(100n)] },
      says: /another/,
    },
    { when: 'another token', call: { contract: other }, says: /another call/ },
    { when: 'an approval', call: { functionName: 'approve' }, says: /another call/ },
    { when: 'fewer arguments', call: { args: [address(payer), address(payTo)] }, says: /another/ },
    {
      when: 'more arguments',
      call: { args: [address(payer), address(payTo), i128(100n), i128(1n)] },
      says: /another call/,
    },
    {
      when: 'further calls',
      call: { under: [drain] },
      says: /covers 1 further calls of the token/,
    },
  ])('signs nothing for $when', async ({ call, says }) => {
    const { signer, signed } = wallet()
    await expect(signer.signAuthEntry(preimage(call))).rejects.toThrow(says)
    expect(signed).toEqual([])
  })

  test.each(['', 'AAAA', '!'])('signs nothing for what is no authorization: %s', async (text) => {
    const { signer, signed } = wallet()
    await expect(signer.signAuthEntry(text)).rejects.toThrow(/unreadable/)
    expect(signed).toEqual([])
  })

  test('signs nothing for another kind of preimage', async () => {
    const { signer, signed } = wallet()
    const operation = xdr.HashIdPreimage.envelopeTypeOpId(
      new xdr.HashIdPreimageOperationId({
        sourceAccount: xdr.AccountId.publicKeyTypeEd25519(new Uint8Array(32)),
        seqNum: 1n,
        opNum: 0,
      }),
    )
    await expect(signer.signAuthEntry(operation.toXdr('base64'))).rejects.toThrow(
      /for no authorization/,
    )
    expect(signed).toEqual([])
  })
})
