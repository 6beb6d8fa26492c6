import { Address, Keypair, SorobanDataBuilder, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { signerFromSeed } from '../../../../src/stellar/accounts/signer.ts'
import { settleAsAuthority } from '../../../../src/stellar/authorization/authority-call.ts'
import { signAsAuthority } from '../../../../src/stellar/authorization/authority-signature.ts'
import type { HostInvocation } from '../../../../src/stellar/transactions/client-envelope.ts'
import { readClientEnvelope } from '../../../../src/stellar/transactions/client-envelope.ts'
import {
  buildSettlement,
  type SettlementTerms,
} from '../../../../src/stellar/transactions/settlement-envelope.ts'
import { settlementResources } from '../../../../src/stellar/transactions/transaction-resources.ts'
import { uptoPayment } from '../../../support/upto-payments.ts'
import {
  otherContract,
  passphrase,
  payer,
  payerKey,
  seller,
} from '../../payments/protocol/payment-builder.ts'

const [sponsor, channel, authority, stranger] = [3, 4, 5, 6].map((n) =>
  signerFromSeed(new Uint8Array(32).fill(n)),
) as [Signer, Signer, Signer, Signer]
type Signer = ReturnType<typeof signerFromSeed>

const contract = 'CDMLFMKMMD7MWZP3FKUBZPVHTUEDLSX4BYGYKH4GCESXYHS3IHQ4EIG4'
const amountArgument = 6
const functionName = 'settle'

let received: HostInvocation

beforeAll(async () => {
  const body = await uptoPayment(
    { network: { latest: { sequence: 1_000 }, passphrase } },
    { contract, authority: authority.address },
    { payer: { address: payer, key: payerKey }, payTo: seller },
  )
  const { transaction } = body.paymentPayload.payload
  const invocation = readClientEnvelope(String(transaction)).operations[0]?.invocation
  if (!invocation) throw new Error('no invocation')
  received = invocation
})

const termsOf = (invocation: HostInvocation, change: Partial<SettlementTerms> = {}) => ({
  network: 'stellar:testnet' as const,
  invocation,
  authority: { signer: authority, contract, functionName, received, amountArgument },
  channel,
  sponsor,
  sequence: 77n,
  transactionData: new SorobanDataBuilder().setResourceFee(40_000).build().toXdr('base64'),
  inclusionFee: asStroops(150n),
  maxTime: 1_800_000_000n,
  maxLedger: 1_011,
  ...change,
})

const settled = () => settleAsAuthority(received, { amountArgument, amount: 40_000n })

function innerOf(envelopeXdr: string): xdr.TransactionV1Envelope {
  const envelope = xdr.TransactionEnvelope.fromXdr(envelopeXdr, 'base64')
  if (envelope.type !== 'envelopeTypeTxFeeBump') throw new Error('not a fee bump')
  return envelope.feeBump.tx.innerTx.v1
}

const hashOf = (tx: xdr.Transaction) =>
  TransactionBuilder.fromXdr(
    xdr.TransactionEnvelope.envelopeTypeTx(new xdr.TransactionV1Envelope({ tx, signatures: [] })),
    passphrase,
  ).hash()

type Open<T> = { -readonly [Member in keyof T]: T[Member] }

/** Another invocation than the one that was checked. */
function changed(change: (call: Open<xdr.InvokeContractArgs>) => void): HostInvocation {
  const { functionXdr, auth } = settled()
  const decoded = xdr.HostFunction.fromXdr(functionXdr)
  if (decoded.type !== 'hostFunctionTypeInvokeContract') throw new Error('not a call')
  change(decoded.invokeContract)
  return { functionXdr: decoded.toXdr(), auth }
}

describe('a settlement by an authority', () => {
  it('has the authority as source of its operation, which signs beside the channel', async () => {
    const { tx, signatures } = innerOf((await buildSettlement(termsOf(settled()))).envelopeXdr)
    const [operation] = tx.operations
    expect(operation?.sourceAccount?.value).toEqual(
      xdr.MuxedAccount.keyTypeEd25519(authority.publicKey).value,
    )
    const verified = [channel, authority].map(({ address }, index) =>
      Keypair.fromPublicKey(address).verify(
        hashOf(tx),
        signatures[index]?.signature.toBytes() ?? new Uint8Array(),
      ),
    )
    expect([signatures.length, ...verified]).toEqual([2, true, true])
  })

  it('has the size that is known before it has a channel', async () => {
    const terms = termsOf(settled())
    const output = { emittedBytes: 0, dataEntryBytes: 0, codeEntryBytes: 0 }
    const { transactionBytes } = settlementResources(settled(), { ...terms, output }, true)
    expect((await buildSettlement(terms)).resources).toMatchObject({ transactionBytes })
  })

  test.each<{ what: string; change: (call: Open<xdr.InvokeContractArgs>) => void }>([
    ...[0, 1, 2, 3, 4, 5, 7].map((index) => ({
      what: `argument ${index}`,
      change: (call: Open<xdr.InvokeContractArgs>) => {
        call.args = call.args.with(index, xdr.ScVal.scvVoid())
      },
    })),
    {
      what: 'the number of arguments',
      change: (call) => {
        call.args = [...call.args, xdr.ScVal.scvVoid()]
      },
    },
    {
      what: 'the contract',
      change: (call) => {
        call.contractAddress = Address.fromString(otherContract).toScAddress()
      },
    },
    {
      what: 'the function',
      change: (call) => {
        Object.assign(call, { functionName: 'other' })
      },
    },
  ])('is not signed when it differs from what the client sent in $what', async ({ change }) => {
    await expect(buildSettlement(termsOf(changed(change)))).rejects.toThrow()
  })

  it("is not signed without the payer's entry, with a changed one, or with another of ours", async () => {
    const { auth, ...call } = settled()
    const [theirs, ours] = auth
    if (!theirs || !ours) throw new Error('two entries expected')
    const before = 'differs from the one the payer signed'
    await expect(buildSettlement(termsOf({ ...call, auth: [ours] }))).rejects.toThrow(before)
    await expect(buildSettlement(termsOf({ ...call, auth: [ours, theirs] }))).rejects.toThrow(
      before,
    )
    await expect(buildSettlement(termsOf({ ...call, auth: [theirs, ours, ours] }))).rejects.toThrow(
      before,
    )
    await expect(buildSettlement(termsOf({ ...call, auth: [theirs, theirs] }))).rejects.toThrow(
      before,
    )
    await expect(buildSettlement(termsOf({ ...call, auth: [theirs] }))).rejects.toThrow(before)
  })
})

describe('the authority signs', () => {
  const signing = { signer: authority, contract, functionName }
  const transaction = async () =>
    innerOf((await buildSettlement(termsOf(settled()))).envelopeXdr).tx as Open<xdr.Transaction>
  const operationOf = (tx: xdr.Transaction) => {
    const [operation] = tx.operations
    if (operation?.body.type !== 'invokeHostFunction') throw new Error('not an invocation')
    const invocation: Open<xdr.InvokeHostFunctionOp> = operation.body.invokeHostFunctionOp
    return { operation: operation as Open<xdr.Operation>, invocation }
  }
  const sign = (tx: xdr.Transaction, by = signing) => signAsAuthority(by, tx, hashOf(tx))

  it('one call of its function at its contract', async () => {
    expect(sign(await transaction()).signature.toBytes()).toHaveLength(64)
  })

  test.each<{ what: string; says: string; change: (tx: Open<xdr.Transaction>) => void }>([
    {
      what: 'two operations',
      says: 'there are 2 operations',
      change: (tx) => {
        tx.operations = [...tx.operations, ...tx.operations]
      },
    },
    {
      what: 'an operation of another source',
      says: 'not the source of the operation',
      change: (tx) => {
        operationOf(tx).operation.sourceAccount = null
      },
    },
    {
      what: 'a transaction of which it is the source',
      says: 'the source of the transaction',
      change: (tx) => {
        tx.sourceAccount = xdr.MuxedAccount.keyTypeEd25519(authority.publicKey)
      },
    },
    {
      what: 'another kind of operation',
      says: 'the operation is inflation',
      change: (tx) => {
        operationOf(tx).operation.body = xdr.OperationBody.inflation()
      },
    },
    {
      what: 'the upload of a contract',
      says: 'hostFunctionTypeUploadContractWasm',
      change: (tx) => {
        operationOf(tx).invocation.hostFunction =
          xdr.HostFunction.hostFunctionTypeUploadContractWasm(new Uint8Array(4))
      },
    },
    {
      what: 'a call without its entry',
      says: 'it has 0 authorization entries',
      change: (tx) => {
        const { invocation } = operationOf(tx)
        invocation.auth = invocation.auth.slice(0, 1)
      },
    },
    {
      what: 'a call with two entries of its own',
      says: 'it has 2 authorization entries',
      change: (tx) => {
        const { invocation } = operationOf(tx)
        invocation.auth = [...invocation.auth, ...invocation.auth.slice(1)]
      },
    },
    {
      what: 'an entry that covers a further call',
      says: 'covers further calls',
      change: (tx) => {
        const root: Open<xdr.SorobanAuthorizedInvocation> | undefined =
          operationOf(tx).invocation.auth[1]?.rootInvocation
        if (root)
          root.subInvocations = [
            new xdr.SorobanAuthorizedInvocation({ ...root, subInvocations: [] }),
          ]
      },
    },
  ])('never $what', async ({ says, change }) => {
    const tx = await transaction()
    change(tx)
    expect(() => sign(tx)).toThrow(says)
  })

  it('never for another contract, another function or as another account', async () => {
    const tx = await transaction()
    expect(() => sign(tx, { ...signing, contract: otherContract })).toThrow('the call is settle')
    expect(() => sign(tx, { ...signing, functionName: 'other' })).toThrow('the call is settle')
    expect(() => sign(tx, { ...signing, signer: stranger })).toThrow('not the source')
  })

  it('never an entry for another call than the one of the operation', async () => {
    const tx = await transaction()
    const other = settleAsAuthority(received, { amountArgument, amount: 40_001n }).auth.at(-1)
    if (!other) throw new Error('no entry')
    const { invocation } = operationOf(tx)
    const [theirs] = invocation.auth
    if (!theirs) throw new Error('no entry of the payer')
    invocation.auth = [theirs, xdr.SorobanAuthorizationEntry.fromXdr(other.xdr)]
    expect(() => sign(tx)).toThrow('for another call')
  })
})
