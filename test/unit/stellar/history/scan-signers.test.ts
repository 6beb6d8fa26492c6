import { Address, decodeAddressToMuxedAccount, Keypair, Operation, xdr } from '@stellar/stellar-sdk'
import { describe, expect, test } from 'vitest'
import { scanEnvelope } from '../../../../src/stellar/history/scan/scan-envelope.ts'
import { UnknownXdr } from '../../../../src/stellar/history/scan/xdr-cursor.ts'
import {
  buyer,
  channel,
  credentialsOf,
  envelopeOf,
  sponsor,
} from '../../../support/explorer/synthetic-transaction.ts'
import { invocationOf } from '../../../support/payments.ts'

/* No host function, place or envelope hides an authorization entry. */

const { v1: example } = envelopeOf() as { v1: xdr.TransactionV1Envelope }
const [transfer] = example.tx.operations as [xdr.Operation]
const call = hostFunctionOf(transfer)
if (call.type !== 'hostFunctionTypeInvokeContract') throw new TypeError(call.type)

function hostFunctionOf({ body }: xdr.Operation): xdr.HostFunction {
  if (body.type !== 'invokeHostFunction') throw new TypeError(body.type)
  return body.invokeHostFunctionOp.hostFunction
}

const contractIdPreimage = xdr.ContractIdPreimage.contractIdPreimageFromAddress(
  new xdr.ContractIdPreimageFromAddress({
    address: Address.fromString(channel).toScAddress(),
    salt: new Uint8Array(32).fill(3),
  }),
)
const ofAsset = xdr.ContractIdPreimage.contractIdPreimageFromAsset(
  xdr.Asset.assetTypeCreditAlphanum4(
    new xdr.AlphaNum4({
      assetCode: Buffer.from('USDC'),
      issuer: xdr.PublicKey.publicKeyTypeEd25519(Keypair.random().rawPublicKey()),
    }),
  ),
)
const executable = xdr.ContractExecutable.contractExecutableWasm(new Uint8Array(32).fill(4))
const constructorArgs = call.invokeContract.args

const { HostFunction } = xdr
const hostFunctions: Readonly<Record<string, xdr.HostFunction>> = {
  'a call': call,
  'an upload': HostFunction.hostFunctionTypeUploadContractWasm(new Uint8Array(7)),
  'a creation': HostFunction.hostFunctionTypeCreateContract(
    new xdr.CreateContractArgs({ contractIdPreimage, executable }),
  ),
  "an asset's creation": HostFunction.hostFunctionTypeCreateContract(
    new xdr.CreateContractArgs({
      contractIdPreimage: ofAsset,
      executable: xdr.ContractExecutable.contractExecutableStellarAsset(),
    }),
  ),
  'a creation with a constructor': HostFunction.hostFunctionTypeCreateContractV2(
    new xdr.CreateContractArgsV2({ contractIdPreimage, executable, constructorArgs }),
  ),
}

const withNonce = (nonce: bigint, address = buyer) => {
  const { signature, ...members } = credentialsOf(address)
  return new xdr.SorobanAddressCredentials({ ...members, signature, nonce })
}
const entry = (credentials: xdr.SorobanCredentials) =>
  new xdr.SorobanAuthorizationEntry({
    credentials,
    rootInvocation: invocationOf(call.invokeContract, [invocationOf(call.invokeContract)]),
  })
const auth = [
  entry(xdr.SorobanCredentials.sorobanCredentialsSourceAccount()),
  entry(xdr.SorobanCredentials.sorobanCredentialsAddress(withNonce(7n, channel))),
  entry(xdr.SorobanCredentials.sorobanCredentialsAddressV2(withNonce(8n))),
]
const signers = [
  { address: channel, nonce: 7n },
  { address: buyer, nonce: 8n },
]

const soroban = (hostFunction: xdr.HostFunction) =>
  new xdr.Operation({
    sourceAccount: null,
    body: xdr.OperationBody.invokeHostFunction(
      new xdr.InvokeHostFunctionOp({ hostFunction, auth }),
    ),
  })
const bump = Operation.bumpSequence({ bumpTo: '5', source: sponsor })
const create = Operation.createAccount({ destination: channel, startingBalance: '1' })

const version1 = (operations: xdr.Operation[]) =>
  new xdr.TransactionV1Envelope({
    tx: new xdr.Transaction({ ...example.tx, operations }),
    signatures: example.signatures,
  })
const envelopes: Readonly<
  Record<string, (operations: xdr.Operation[]) => xdr.TransactionEnvelope>
> = {
  'a transaction': (operations) => xdr.TransactionEnvelope.envelopeTypeTx(version1(operations)),
  'a transaction of version 0': (operations) => {
    const { fee, seqNum, memo } = example.tx
    const tx = new xdr.TransactionV0({
      sourceAccountEd25519: Keypair.fromPublicKey(channel).rawPublicKey(),
      ...{ fee, seqNum, memo, operations, timeBounds: null, ext: xdr.TransactionV0Ext.v0() },
    })
    return xdr.TransactionEnvelope.envelopeTypeTxV0(
      new xdr.TransactionV0Envelope({ tx, signatures: [] }),
    )
  },
  'a fee bump': (operations) =>
    xdr.TransactionEnvelope.envelopeTypeTxFeeBump(
      new xdr.FeeBumpTransactionEnvelope({
        tx: new xdr.FeeBumpTransaction({
          feeSource: decodeAddressToMuxedAccount(sponsor),
          fee: 200n,
          innerTx: xdr.FeeBumpTransactionInnerTx.envelopeTypeTx(version1(operations)),
          ext: xdr.FeeBumpTransactionExt.v0(),
        }),
        signatures: [],
      }),
    ),
}
const scan = (envelope: xdr.TransactionEnvelope) => scanEnvelope(Buffer.from(envelope.toXdr()))

const rows = Object.entries(hostFunctions).flatMap(([what, hostFunction]) =>
  Object.entries(envelopes).map(([where, of]) => [what, where, hostFunction, of] as const),
)

describe('the authorization entries of', () => {
  test.each(rows)('%s in %s are read, at every place', (_what, _where, hostFunction, of) => {
    const operation = soroban(hostFunction)
    const places = [[operation], [operation, bump], [bump, create, operation]]
    for (const operations of places) {
      const read = scan(of(operations)).operations
      expect(read).toHaveLength(operations.length)
      const at = operations.indexOf(operation)
      expect(read[at]).toMatchObject({ isHostFunction: true, signers })
      const others = read.toSpliced(at, 1)
      expect(others.flatMap((each) => each.signers)).toEqual([])
      expect(others.some((each) => each.isHostFunction)).toBe(false)
    }
    const twice = scan(of([operation, operation])).operations
    expect(twice.flatMap((each) => each.signers)).toMatchObject([...signers, ...signers])
  })

  test('a host function that is not known are not taken for none', () => {
    const bytes = Buffer.from(envelopeOf().toXdr())
    const [operation] = example.tx.operations as [xdr.Operation]
    const at = bytes.indexOf(Buffer.from(operation.toXdr()))
    // The source (absent), the type of the operation, then that of the host function.
    bytes.writeUInt32BE(9, at + 8)
    expect(() => scanEnvelope(bytes)).toThrow(UnknownXdr)
  })
})

test('operations of the classic ledger have no authorization entries, but a source', () => {
  const { operations } = scan(xdr.TransactionEnvelope.envelopeTypeTx(version1([bump, create])))
  expect(operations).toEqual([
    { source: sponsor, isHostFunction: false, signers: [] },
    { isHostFunction: false, signers: [] },
  ])
})
