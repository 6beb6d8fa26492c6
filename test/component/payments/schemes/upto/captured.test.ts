/** What another party can do with what it sees: the payer's authorization, and our own envelope. */
import {
  Address,
  authorizeEntry,
  FeeBumpTransaction,
  rpc,
  type Transaction,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { transactionsAfter, transfersOf, usdcOf } from '../../../../support/ledger-view.ts'
import { addressValue, i128, type PaymentBody, usdc } from '../../../../support/payments.ts'
import { type RpcProxy, startRpcProxy } from '../../../../support/rpc-proxy.ts'
import { settleOf } from '../../../../support/upto-payments.ts'
import { Outsider, sendSigned, sourceEntry } from './as-authority.ts'
import {
  countSettlements,
  latest,
  openUptoWorld,
  rowOf,
  type UptoWorld,
  untilState,
} from './upto-world.ts'

let proxy: RpcProxy
let world: UptoWorld
let thief: Outsider
/** Calls other contracts for whoever asks. */
let router: string
beforeAll(async () => {
  proxy = await startRpcProxy()
  world = await openUptoWorld({
    rpcThrough: proxy.forwardTo,
    timings: { validitySeconds: 40, rebroadcastMs: 200 },
  })
  thief = await Outsider.open(world.stack.localnet)
  router = await world.deployer.router()
})
beforeEach(() => proxy.heal())
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await proxy?.[Symbol.asyncDispose]()
})

const ACTUAL = 40_000n

interface Captured {
  readonly call: xdr.InvokeContractArgs
  readonly entry: xdr.SorobanAuthorizationEntry
}

/** The call and the authorization of a payment that the thief saw. */
function captured({ paymentPayload: { payload } }: PaymentBody): Captured {
  const envelope = xdr.TransactionEnvelope.fromXdr(String(payload['transaction']), 'base64')
  const body = envelope.type === 'envelopeTypeTx' ? envelope.v1.tx.operations[0]?.body : undefined
  if (body?.type !== 'invokeHostFunction') throw new Error('not a payment')
  const { hostFunction, auth } = body.invokeHostFunctionOp
  const [entry] = auth
  if (hostFunction.type !== 'hostFunctionTypeInvokeContract' || !entry) throw new Error('no call')
  return { call: hostFunction.invokeContract, entry }
}

/** The same call with some arguments replaced. */
const withArgs = (call: xdr.InvokeContractArgs, args: Readonly<Record<number, xdr.ScVal>>) =>
  new xdr.InvokeContractArgs({
    contractAddress: call.contractAddress,
    functionName: call.functionName,
    args: call.args.map((arg, index) => args[index] ?? arg),
  })

const invoke = xdr.HostFunction.hostFunctionTypeInvokeContract

/** Address credentials of the account for the call, with a signature by the thief. */
const forgedEntry = (call: xdr.InvokeContractArgs, address: string) =>
  authorizeEntry(
    new xdr.SorobanAuthorizationEntry({
      credentials: xdr.SorobanCredentials.sorobanCredentialsAddress(
        new xdr.SorobanAddressCredentials({
          address: Address.fromString(address).toScAddress(),
          nonce: 7n,
          signatureExpirationLedger: 0,
          signature: xdr.ScVal.scvVoid(),
        }),
      ),
      rootInvocation: sourceEntry(call).rootInvocation,
    }),
    async (_preimage, hash) => ({
      signature: thief.key.sign(hash),
      publicKey: thief.address,
    }),
    latest(world) + 10,
    world.stack.localnet.network.passphrase,
  )

interface Attempt {
  readonly how: string
  readonly send: (given: Captured) => Promise<unknown>
  readonly refused: RegExp
}

const attempts: readonly Attempt[] = [
  {
    how: "with the payer's entry alone",
    send: ({ call, entry }) =>
      thief.send({ hostFunction: invoke(withArgs(call, { 6: i128(ACTUAL) })), auth: [entry] }),
    refused: /Error\(Auth, InvalidAction\)/,
  },
  {
    how: 'with an authorization of its own account, as the source of the operation',
    send: ({ call, entry }) => {
      const own = withArgs(call, { 6: i128(ACTUAL) })
      return thief.send({ hostFunction: invoke(own), auth: [entry, sourceEntry(own)] })
    },
    refused: /Error\(Auth, InvalidAction\)/,
  },
  {
    how: 'as the authority, with address credentials that it signs itself',
    send: async ({ call, entry }) => {
      const own = withArgs(call, { 6: i128(ACTUAL) })
      const forged = await forgedEntry(own, world.authority.address)
      return thief.send({ hostFunction: invoke(own), auth: [entry, forged] })
    },
    refused: /Error\(Auth, InvalidAction\)/,
  },
  {
    how: 'as the authority, with itself as that argument',
    send: ({ call, entry }) => {
      const own = withArgs(call, { 6: i128(ACTUAL), 7: addressValue(thief.address) })
      return thief.send({ hostFunction: invoke(own), auth: [entry, sourceEntry(own)] })
    },
    refused: /Error\(Auth, InvalidAction\)/,
  },
  {
    how: 'as the authority, with the payer as that argument',
    send: ({ call, entry }) => {
      const own = withArgs(call, { 6: i128(ACTUAL), 7: addressValue(world.payer.address) })
      return thief.send({ hostFunction: invoke(own), auth: [entry, sourceEntry(own)] })
    },
    refused: /Error\(Auth, InvalidAction\)/,
  },
  {
    how: 'to itself',
    send: ({ call, entry }) => {
      const own = withArgs(call, {
        2: addressValue(thief.address),
        6: i128(ACTUAL),
        7: addressValue(thief.address),
      })
      return thief.send({ hostFunction: invoke(own), auth: [entry, sourceEntry(own)] })
    },
    refused: /Error\(Auth, InvalidAction\)/,
  },
  {
    how: 'with the authority as the source of the operation, and a signature of its own',
    send: ({ call, entry }) => {
      const own = withArgs(call, { 6: i128(ACTUAL) })
      const { address, publicKey } = world.authority
      const sign = (hash: Uint8Array) => thief.key.sign(Buffer.from(hash))
      return thief.send({
        hostFunction: invoke(own),
        auth: [entry, sourceEntry(own)],
        operationSource: { address, publicKey, sign },
      })
    },
    refused: /op_bad_auth/,
  },
  {
    how: 'through a contract that calls the settlement contract',
    send: ({ call, entry }) => {
      const own = withArgs(call, { 6: i128(ACTUAL) })
      const relayed = relay(own)
      return thief.send({ hostFunction: invoke(relayed), auth: [entry, sourceEntry(relayed)] })
    },
    refused: /Error\(Auth, InvalidAction\)/,
  },
  {
    how: 'through a contract that is the authority',
    send: ({ call, entry }) => {
      const own = relay(withArgs(call, { 6: i128(ACTUAL), 7: addressValue(router) }))
      return thief.send({ hostFunction: invoke(own), auth: [entry] })
    },
    refused: /Error\(Auth, InvalidAction\)/,
  },
  {
    how: 'by the allowance alone, with which the payer lets the settlement contract spend',
    send: ({ entry }) => {
      const [below] = entry.rootInvocation.subInvocations
      const approve = below?.function
      if (approve?.type !== 'sorobanAuthorizedFunctionTypeContractFn') throw new Error('no call')
      return thief.send({ hostFunction: invoke(approve.contractFn), auth: [entry] })
    },
    refused: /Error\(Auth, InvalidAction\)/,
  },
]

/** The call in a call of the router. */
const relay = ({ contractAddress, args }: xdr.InvokeContractArgs): xdr.InvokeContractArgs =>
  new xdr.InvokeContractArgs({
    contractAddress: Address.fromString(router).toScAddress(),
    functionName: 'relay',
    args: [Address.fromScAddress(contractAddress).toScVal(), xdr.ScVal.scvVec([...args])],
  })

/** The one transfer of the payment, by the transaction that the answer names, and a row that says so. */
async function expectSettledOnce(body: PaymentBody, since: Since, hash: string): Promise<void> {
  const { stack, payer, seller } = world
  const { network } = stack.localnet
  const transfers = transactionsAfter(network, since.ledger).flatMap(transfersOf)
  const transfer = { contract: usdc, from: payer.address, to: seller.address, amount: ACTUAL }
  expect(transfers.filter(({ contract }) => contract === usdc)).toEqual([transfer])
  expect(usdcOf(network, seller.address)).toBe(since.held + ACTUAL)
  expect(await countSettlements(stack)).toBe(since.rows + 1)
  expect(await rowOf(stack, body, payer.address)).toMatchObject({
    state: 'succeeded',
    outcome: { response: { success: true, transaction: hash, amount: `${ACTUAL}` } },
  })
}

interface Since {
  readonly ledger: number
  readonly held: bigint
  readonly rows: number
}

const now = async (): Promise<Since> => ({
  ledger: latest(world),
  held: usdcOf(world.stack.localnet.network, world.seller.address) ?? 0n,
  rows: await countSettlements(world.stack),
})

describe('a captured authorization', () => {
  test.each(attempts)('settles nothing $how; the facilitator settles it', async (attempt) => {
    const body = settleOf(await world.upto(), ACTUAL)
    const since = await now()
    expect(await attempt.send(captured(body))).toMatch(attempt.refused)
    expect(usdcOf(world.stack.localnet.network, world.seller.address)).toBe(since.held)
    const answer = await world.settle(body)
    expect(answer).toMatchObject({ success: true, amount: `${ACTUAL}` })
    await expectSettledOnce(body, since, answer.transaction)
  })

  test('leaves an allowance that nobody can spend, once it is settled', async () => {
    const { contract } = world.service
    const answer = await world.settle(settleOf(await world.upto(), ACTUAL))
    expect(answer).toMatchObject({ success: true })
    for (const spender of [contract, thief.address]) {
      const call = new xdr.InvokeContractArgs({
        contractAddress: Address.fromString(usdc).toScAddress(),
        functionName: 'transfer_from',
        args: [
          ...[spender, world.payer.address, thief.address].map((each) => addressValue(each)),
          i128(1n),
        ],
      })
      const sent = { hostFunction: invoke(call), auth: [sourceEntry(call)] }
      expect(await thief.send(sent)).toMatch(/Error\((Auth|Contract)/)
    }
  })
})

/** Settles while every envelope is lost, so that it is recorded and on no ledger. */
async function recordedAlone() {
  const body = settleOf(await world.upto(), ACTUAL)
  const since = await now()
  proxy.fail('sendTransaction', { kind: 'swallow' })
  const settling = world.settle(body)
  const state = 'submitted'
  const { recorded } = await untilState(world.stack, body, { payer: world.payer.address, state })
  if (!recorded) throw new Error('nothing was recorded')
  const { passphrase } = world.stack.localnet.network
  const ours = TransactionBuilder.fromXDR(recorded.envelopeXdr, passphrase)
  if (!(ours instanceof FeeBumpTransaction)) throw new Error('not a fee bump')
  return { body, since, settling, recorded, inner: ours.innerTransaction }
}

describe('our own envelope, captured before it is on a ledger', () => {
  test("settles once in a stranger's fee bump, and the answer names that transaction", async () => {
    const { body, since, settling, recorded, inner } = await recordedAlone()
    const { network } = world.stack.localnet
    const bump = TransactionBuilder.buildFeeBumpTransaction(
      thief.key,
      '10000',
      inner,
      network.passphrase,
    )
    bump.sign(thief.key)
    expect(await sendSigned(world.stack.localnet, bump)).toMatchObject({ successful: true })
    while (network.latest.closeTime <= recorded.maxTime) await world.stack.localnet.closeLedger()
    const answer = await settling
    expect(answer).toMatchObject({ success: true, transaction: recorded.innerHash })
    proxy.heal()
    expect(await world.settle(body)).toEqual(answer)
    await expectSettledOnce(body, since, recorded.innerHash)
  })

  test("is worth nothing in parts: the authority's entry, and its signature, in a stranger's transaction", async () => {
    const { body, since, settling, recorded, inner } = await recordedAlone()
    const [operation] = inner.operations
    if (operation?.type !== 'invokeHostFunction') throw new Error('not a settlement')
    const { func: hostFunction, auth = [] } = operation
    expect(await thief.send({ hostFunction, auth })).toMatch(/Error\(Auth, InvalidAction\)/)

    const server = new rpc.Server(world.stack.localnet.httpUrl, { allowHttp: true })
    const own = new TransactionBuilder(await server.getAccount(thief.address), {
      fee: inner.fee,
      networkPassphrase: inner.networkPassphrase,
    })
      .addOperation(operationXdr(inner))
      .setTimeout(0)
      .setSorobanData(sorobanDataOf(inner))
      .build()
    own.sign(thief.key)
    own.signatures.push(...inner.signatures)
    expect(await sendSigned(world.stack.localnet, own)).toMatch(/op_bad_auth/)

    proxy.heal('sendTransaction')
    const answer = await settling
    expect(answer).toMatchObject({ success: true, transaction: recorded.txHash })
    await expectSettledOnce(body, since, recorded.txHash)
  })
})

function innerXdr(inner: Transaction): xdr.Transaction {
  const envelope = inner.toEnvelope()
  if (envelope.type !== 'envelopeTypeTx') throw new Error('not a transaction')
  return envelope.v1.tx
}

function operationXdr(inner: Transaction): xdr.Operation {
  const [operation] = innerXdr(inner).operations
  if (!operation) throw new Error('no operation')
  return operation
}

function sorobanDataOf(inner: Transaction): xdr.SorobanTransactionData {
  const { ext } = innerXdr(inner)
  if (ext.type !== 'sorobanData') throw new Error('no resources')
  return ext.sorobanData
}
