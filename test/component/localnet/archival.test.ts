/**
 * Archival, eviction, and restoration by both means, on a network with short lifetimes and with a
 * contract that extends nothing (CAP-46-12, CAP-62, CAP-66).
 */
import {
  Address,
  Keypair,
  Operation,
  rpc,
  SorobanDataBuilder,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AppliedTransaction } from '../../../src/localnet/closing/history.ts'
import { ttlKeyHash } from '../../../src/localnet/ledger/keys.ts'
import { type LocalnetServer, startLocalnetServer } from '../../../src/localnet/server/server.ts'
import { Deployer } from '../../support/contracts.ts'
import { archive } from '../../support/ledger-surgery.ts'
import { addressValue, i128 } from '../../support/payments.ts'

const LIFETIME = 30
const alice = Keypair.random()

let localnet: LocalnetServer
let sdk: rpc.Server
let deployer: Deployer
let token: string
let balance: xdr.LedgerKey
let instance: xdr.LedgerKey
beforeEach(async () => {
  localnet = await startLocalnetServer({
    closeEveryMs: 'manual',
    entryTtls: { minPersistentTtl: LIFETIME },
  })
  sdk = new rpc.Server(localnet.httpUrl, { allowHttp: true })
  await localnet.pay({ address: alice.publicKey(), asset: 'XLM', amount: 10_000_0000000n })
  deployer = new Deployer(localnet)
  token = await deployer.trickToken('honest')
  await deployer.mint(token, alice.publicKey(), 5n)
  const contract = Address.fromString(token).toScAddress()
  const { persistent } = xdr.ContractDataDurability
  const keyOf = (key: xdr.ScVal) =>
    xdr.LedgerKey.contractData(
      new xdr.LedgerKeyContractData({ contract, key, durability: persistent }),
    )
  instance = keyOf(xdr.ScVal.scvLedgerKeyContractInstance())
  balance = writtenBy(localnet.network.latest.transactions.at(-1))
})
afterEach(() => localnet.close())

/** The key of the persistent entry, other than the instance, that the call wrote. */
function writtenBy(transaction: AppliedTransaction | undefined): xdr.LedgerKey {
  const key = footprintOf(transaction).readWrite.find((it) => it.type === 'contractData')
  if (!key) throw new Error('nothing was written')
  return key
}

function footprintOf(transaction: AppliedTransaction | undefined): xdr.LedgerFootprint {
  const envelope = xdr.TransactionEnvelope.fromXdr(transaction?.envelopeXdr ?? new Uint8Array())
  const ext = envelope.type === 'envelopeTypeTx' ? envelope.v1.tx.ext : undefined
  if (ext?.type !== 'sorobanData') throw new Error('no contract was called')
  return ext.sorobanData.resources.footprint
}

const liveUntil = () => localnet.network.entry(balance.toXdr())?.liveUntil ?? 0
const closeUntil = async (sequence: number) => {
  while (localnet.network.latest.sequence < sequence) await localnet.closeLedger()
}
/** After the balance has expired; the contract, deployed before it, has expired too. */
const evictAll = () => closeUntil(liveUntil() + 1)

const read = async (key: xdr.LedgerKey) => (await sdk.getLedgerEntries(key)).entries[0]

/** Kinds of changes, with their entry and whether this ledger modified it last. */
function changesOf(transaction: AppliedTransaction | undefined): string[] {
  const meta = xdr.TransactionMeta.fromXdr(transaction?.resultMetaXdr ?? new Uint8Array())
  if (meta.type !== 'v4') throw new Error(`meta ${meta.type}`)
  return (meta.v4.operations[0]?.changes ?? []).flatMap((change) => {
    if (change.type === 'ledgerEntryRemoved') return [change.type]
    const { data, lastModifiedLedgerSeq } = change.value
    if (data.type === 'account') return []
    const age = lastModifiedLedgerSeq === transaction?.ledger ? 'now' : 'before'
    return [`${change.type.replace('ledgerEntry', '')} ${data.type} ${age}`]
  })
}

const built = async (operation: xdr.Operation, data?: xdr.SorobanTransactionData) =>
  new TransactionBuilder(await sdk.getAccount(alice.publicKey()), {
    fee: '1000',
    networkPassphrase: localnet.network.passphrase,
    ...(data && { sorobanData: data }),
  })
    .addOperation(operation)
    .setTimeout(0)
    .build()

/** Prepared by the SDK, signed, applied. */
async function applied(operation: xdr.Operation, data?: xdr.SorobanTransactionData) {
  const prepared = await sdk.prepareTransaction(await built(operation, data))
  prepared.sign(alice)
  const { hash } = await sdk.sendTransaction(prepared)
  await localnet.closeLedger()
  return localnet.network.transaction(hash)
}

const readOnly = (...keys: xdr.LedgerKey[]) => new SorobanDataBuilder().setReadOnly(keys).build()
const readWrite = (...keys: xdr.LedgerKey[]) => new SorobanDataBuilder().setReadWrite(keys).build()

describe('an entry whose rent ran out', () => {
  it('is live in its last ledger and archived in the next', async () => {
    const end = liveUntil()
    await closeUntil(end)
    expect((await read(balance))?.liveUntilLedgerSeq).toBe(end)
    await localnet.closeLedger()
    expect((await read(balance))?.liveUntilLedgerSeq).toBe(0)
  })

  it('is in the close meta of the ledger that evicts it, with its lifetime', async () => {
    await evictAll()
    const { latest } = localnet.network
    expect(latest.evictedKeys.map((key) => Buffer.from(key).toString('base64'))).toEqual([
      balance.toXdr('base64'),
    ])
    const { metadataXdr } =
      (await sdk.getLedgers({ startLedger: latest.sequence })).ledgers[0] ?? {}
    const evicted = metadataXdr?.type === 'v2' ? metadataXdr.v2.evictedKeys : []
    expect(evicted.map(({ type }) => type)).toEqual(['contractData', 'ttl'])
    const [, ttl] = evicted
    expect(ttl?.type === 'ttl' && ttl.ttl.keyHash.value).toEqual(
      new Uint8Array(ttlKeyHash(balance.toXdr())),
    )
  })
})

describe('a call on archived entries', () => {
  it('restores entries that it reads or writes', async () => {
    await evictAll()
    await deployer.mint(token, alice.publicKey(), 7n)
    const transaction = localnet.network.latest.transactions.at(-1)
    expect(transaction?.successful).toBe(true)
    // The balance, the code and the instance, each with its lifetime; only the balance changed.
    expect(changesOf(transaction).toSorted()).toEqual([
      'Restored contractCode now',
      'Restored contractData now',
      'Restored contractData now',
      'Restored ttl now',
      'Restored ttl now',
      'Restored ttl now',
      'Updated contractData now',
    ])
    expect(liveUntil()).toBe((transaction?.ledger ?? 0) + LIFETIME - 1)
    expect(await deployer.call(token, 'balance', addressValue(alice.publicKey()))).toEqual(
      i128(12n),
    )
  })

  it('fails when it was prepared before they were archived', async () => {
    const { ledger } = { ledger: liveUntil() }
    await closeUntil(ledger)
    const mint = Operation.invokeContractFunction({
      contract: token,
      function: 'mint',
      args: [addressValue(alice.publicKey()), i128(1n)],
    })
    const transaction = await applied(mint)
    const result = xdr.TransactionResult.fromXdr(transaction?.resultXdr ?? new Uint8Array())
    expect(JSON.stringify(result.toJson())).toContain('entry_archived')
    const log = transaction?.diagnosticEvents.map((it) =>
      JSON.stringify(xdr.DiagnosticEvent.fromXdr(it).toJson()),
    )
    expect(log?.join()).toMatch(/trying to access an archived contract (data|code) entry/)
  })
})

describe('restoring a footprint', () => {
  it('writes evicted entries again', async () => {
    await evictAll()
    const transaction = await applied(Operation.restoreFootprint({}), readWrite(balance, instance))
    expect(changesOf(transaction)).toEqual([
      'Restored contractData now',
      'Restored ttl now',
      'Restored contractData now',
      'Restored ttl now',
    ])
    expect((await read(balance))?.liveUntilLedgerSeq).toBe(
      localnet.network.latest.sequence + LIFETIME - 1,
    )
  })

  it('changes only the lifetime of entries not yet evicted', async () => {
    archive(localnet.network, balance.toXdr())
    const transaction = await applied(Operation.restoreFootprint({}), readWrite(balance))
    expect(changesOf(transaction)).toEqual(['Restored contractData before', 'Restored ttl now'])
  })
})

describe('extending an archived entry', () => {
  it('is simulated with the entries to restore first', async () => {
    await evictAll()
    const extend = Operation.extendFootprintTtl({ extendTo: 500 })
    const simulated = await sdk.simulateTransaction(
      await built(extend, readOnly(balance, instance)),
    )
    if (!rpc.Api.isSimulationRestore(simulated)) throw new Error('nothing to restore')
    const { restorePreamble } = simulated
    const data = restorePreamble.transactionData.build()
    expect(data.resources.footprint.readWrite).toHaveLength(2)
    expect(data.resourceFee).toBe(BigInt(restorePreamble.minResourceFee))
    await applied(Operation.restoreFootprint({}), data)
    const { ledger = 0, successful } = (await applied(extend, readOnly(balance, instance))) ?? {}
    expect(successful).toBe(true)
    expect((await read(instance))?.liveUntilLedgerSeq).toBe(ledger + 500)
  })
})
