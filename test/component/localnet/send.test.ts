import {
  Account,
  Asset,
  authorizeEntry,
  nativeToScVal,
  Operation,
  rpc,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callRpc, createWorld, USDC_CONTRACT, type World } from './test-network.ts'

let world: World
let sdk: rpc.Server
beforeAll(async () => {
  world = await createWorld()
  sdk = new rpc.Server(world.server.httpUrl, { allowHttp: true })
})
afterAll(() => world[Symbol.asyncDispose]())

const builder = (account: Account) =>
  new TransactionBuilder(account, {
    fee: '1000',
    networkPassphrase: world.server.network.passphrase,
  }).setTimeout(60)

function payment(account: Account) {
  const destination = world.payee.publicKey()
  const operation = Operation.payment({ destination, asset: Asset.native(), amount: '1' })
  const transaction = builder(account).addOperation(operation).build()
  transaction.sign(world.source)
  return transaction
}

describe('sendTransaction', () => {
  it('returns ERROR with the result, and keeps nothing of the transaction', async () => {
    const { source, server } = world
    const stale = payment(new Account(source.publicKey(), '1'))
    const sent = await sdk.sendTransaction(stale)
    expect(sent.status).toBe('ERROR')
    expect(sent.errorResult?.result.type).toBe('txBadSeq')
    const { result } = await callRpc(server.httpUrl, 'sendTransaction', {
      transaction: stale.toXdr(),
      xdrFormat: 'json',
    })
    expect(result).toMatchObject({ status: 'ERROR', errorResultJson: { result: 'tx_bad_seq' } })
    await server.closeLedger()
    expect((await sdk.getTransaction(sent.hash)).status).toBe('NOT_FOUND')
  })

  it('returns TRY_AGAIN_LATER while a transaction of the account waits', async () => {
    const { source, server } = world
    const account = await sdk.getAccount(source.publicKey())
    expect((await sdk.sendTransaction(payment(account))).status).toBe('PENDING')
    expect((await sdk.sendTransaction(payment(account))).status).toBe('TRY_AGAIN_LATER')
    await server.closeLedger()
  })
})

describe('getTransaction', () => {
  it('finds a fee bump by its own hash and by that of the inner transaction', async () => {
    const { source, payer, server } = world
    const inner = payment(await sdk.getAccount(source.publicKey()))
    const { passphrase } = server.network
    const bump = TransactionBuilder.buildFeeBumpTransaction(payer, '2000', inner, passphrase)
    bump.sign(payer)
    const { hash } = await sdk.sendTransaction(bump)
    await server.closeLedger()
    const innerHash = Buffer.from(inner.hash()).toString('hex')
    for (const asked of [hash, innerHash, innerHash.toUpperCase()]) {
      const { result } = await callRpc(server.httpUrl, 'getTransaction', { hash: asked })
      expect(result).toMatchObject({ status: 'SUCCESS', feeBump: true, txHash: asked })
    }
  })

  it('returns a transaction that failed on the ledger, with its result', async () => {
    const { source, server } = world
    const destination = world.payee.publicKey()
    const asset = Asset.native()
    const tooMuch = Operation.payment({ destination, asset, amount: '1000000' })
    const account = await sdk.getAccount(source.publicKey())
    const transaction = builder(account).addOperation(tooMuch).build()
    transaction.sign(source)
    const { hash } = await sdk.sendTransaction(transaction)
    await server.closeLedger()
    const found = await sdk.getTransaction(hash)
    if (found.status !== rpc.Api.GetTransactionStatus.FAILED) throw new Error(found.status)
    expect(found.resultXdr.result.type).toBe('txFailed')
    expect(found.events.contractEventsXdr.flat()).toEqual([])
  })
})

describe('getLedgerEntries', () => {
  it('returns temporary entries until they expire', async () => {
    const { network, closeLedger } = world.server
    const key = await spendNonce()
    const read = async () =>
      (await sdk.getLedgerEntries(xdr.LedgerKey.fromXdr(key, 'base64'))).entries
    const [entry] = await read()
    const liveUntil = entry?.liveUntilLedgerSeq ?? 0
    expect(liveUntil).toBeGreaterThan(network.latest.sequence)
    while (network.latest.sequence < liveUntil) await closeLedger()
    expect(await read()).toHaveLength(1)
    await closeLedger()
    expect(await read()).toEqual([])
  })
})

/** Pays with a signed authorization and returns the key of its nonce. */
async function spendNonce(): Promise<string> {
  const { server, source, payer, payee } = world
  const { passphrase, latest } = server.network
  const account = await sdk.getAccount(source.publicKey())
  const transfer = (auth: xdr.SorobanAuthorizationEntry[]) =>
    Operation.invokeContractFunction({
      contract: USDC_CONTRACT,
      function: 'transfer',
      args: [
        nativeToScVal(payer.publicKey(), { type: 'address' }),
        nativeToScVal(payee.publicKey(), { type: 'address' }),
        nativeToScVal(1n, { type: 'i128' }),
      ],
      auth,
    })
  const draft = new Account(account.accountId(), account.sequenceNumber())
  const recorded = await sdk.simulateTransaction(builder(draft).addOperation(transfer([])).build())
  if (!rpc.Api.isSimulationSuccess(recorded)) throw new Error(recorded.error)
  const auth = await Promise.all(
    (recorded.result?.auth ?? []).map((entry) =>
      authorizeEntry(entry, payer, latest.sequence + 20, passphrase),
    ),
  )
  const prepared = await sdk.prepareTransaction(
    builder(account).addOperation(transfer(auth)).build(),
  )
  prepared.sign(source)
  await sdk.sendTransaction(prepared)
  await server.closeLedger()
  const { ext } = prepared.toEnvelope().type === 'envelopeTypeTx' ? prepared.tx : { ext: undefined }
  const keys = ext?.type === 'sorobanData' ? ext.sorobanData.resources.footprint.readWrite : []
  const nonce = keys.find((key) => key.type === 'contractData')
  if (!nonce) throw new Error('the payment wrote no nonce')
  return nonce.toXdr('base64')
}
