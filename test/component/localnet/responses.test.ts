/** Every result of every method: both generations of the SDK read and write its XDR byte for byte. */
import { Address, Keypair, rpc, TransactionBuilder, xdr as xdr17 } from '@stellar/stellar-sdk'
import { xdr as xdr14 } from 'stellar-sdk-14'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { methodNames } from '../../../src/localnet/rpc/methods.ts'
import { type LocalnetServer, startLocalnetServer } from '../../../src/localnet/server/server.ts'
import { Deployer } from '../../support/contracts.ts'
import { fundedAccounts } from '../../support/funded.ts'
import { accountKey } from '../../support/ledger-view.ts'
import { addressValue, i128 } from '../../support/payments.ts'
import { type XdrTypeName, xdrOf } from './sdk/response-xdr.ts'
import { callRpc } from './test-network.ts'

interface XdrClass {
  fromXdr(text: string, format: 'base64'): { toXdr(format: 'base64'): string }
}
const classes17: Readonly<Record<XdrTypeName, XdrClass>> = xdr17

const decode17: (type: XdrTypeName, base64: string) => string = (type, base64) =>
  classes17[type].fromXdr(base64, 'base64').toXdr('base64')
const decode14: (type: XdrTypeName, base64: string) => string = (type, base64) =>
  xdr14[type].fromXDR(base64, 'base64').toXDR('base64')

describe.each([4, 3] as const)('results on a network with meta %i', (metaVersion) => {
  let server: LocalnetServer
  let calls: readonly (readonly [method: string, params: Record<string, unknown>])[]
  beforeAll(async () => {
    server = await startLocalnetServer({ closeEveryMs: 'manual', metaVersion })
    calls = await prepareCalls(server)
  })
  afterAll(() => server.close())

  const request = async (method: string, params: Record<string, unknown>) => {
    const { result, error } = await callRpc(server.httpUrl, method, params)
    if (!result) throw new Error(`${method}: ${error?.message}`)
    return result
  }

  it('include every method', () => {
    expect([...new Set(calls.map(([method]) => method))].toSorted()).toEqual(methodNames)
  })

  it.each([
    ['17', decode17],
    ['14', decode14],
  ] as const)('are read by stellar-sdk %s', async (_, decode) => {
    let count = 0
    for (const [method, params] of calls) {
      for (const { path, type, base64 } of xdrOf(method, await request(method, params))) {
        expect(decode(type, base64), `${path} as ${type}`).toBe(base64)
        count += 1
      }
    }
    expect(count).toBeGreaterThan(60)
  })

  it('have no base64 XDR with xdrFormat json', async () => {
    for (const [method, params] of calls) {
      const result = await request(method, { ...params, xdrFormat: 'json' })
      if (method === 'getLatestLedger') continue
      expect(xdrOf(method, withoutPlainNames(result)), method).toEqual([])
    }
  })

  it('have the meta of the configured version', async () => {
    const hash = server.network.latest.transactions[0]?.hash
    const { resultMetaXdr, events } = await request('getTransaction', { hash })
    expect(xdr17.TransactionMeta.fromXdr(String(resultMetaXdr), 'base64').type).toBe(
      `v${metaVersion}`,
    )
    expect(events).toHaveProperty('contractEventsXdr')
    expect(Object.keys(Object(events)).includes('transactionEventsXdr')).toBe(metaVersion === 4)
  })
})

/** XDR as JSON has members such as `key` and `value` too. */
const withoutPlainNames = (result: Record<string, unknown>): Record<string, unknown> =>
  JSON.parse(JSON.stringify(result), (name, value) => (name.endsWith('Json') ? undefined : value))

/** Calls of every method, on a ledger with accounts, contracts, events and a payment. */
async function prepareCalls(server: LocalnetServer) {
  const [alice = Keypair.random()] = await fundedAccounts(server.network, [{ usdc: 5n }])
  const deployer = new Deployer(server)
  const token = await deployer.trickToken('honest')
  const emptyAccount = Keypair.random().publicKey()
  const holder = addressValue(alice.publicKey())
  await deployer.mint(token, alice.publicKey(), 5n)
  const sdk = new rpc.Server(server.httpUrl, { allowHttp: true })
  const call = async (from: string) => {
    const account = await sdk.getAccount(alice.publicKey())
    const networkPassphrase = server.network.passphrase
    return new TransactionBuilder(account, { fee: '1000', networkPassphrase })
      .addOperation(xdrCall(token, 'transfer', addressValue(from), holder, i128(1n)))
      .setTimeout(0)
      .build()
      .toXdr()
  }
  const { latest } = server.network
  const startLedger = server.network.oldest.sequence
  const keys = [Buffer.from(accountKey(alice.publicKey())).toString('base64'), instanceKey(token)]
  return [
    ['getEvents', { startLedger }],
    ['getFeeStats', {}],
    ['getHealth', {}],
    ['getLatestLedger', {}],
    ['getLedgerEntries', { keys }],
    ['getLedgers', { startLedger }],
    ['getNetwork', {}],
    ['getTransaction', { hash: latest.transactions[0]?.hash }],
    ['getTransactions', { startLedger }],
    ['getVersionInfo', {}],
    ['sendTransaction', { transaction: await call(alice.publicKey()) }],
    ['simulateTransaction', { transaction: await call(alice.publicKey()) }],
    ['simulateTransaction', { transaction: await call(emptyAccount) }],
  ] as const
}

const xdrCall = (contract: string, functionName: string, ...args: xdr17.ScVal[]) =>
  new xdr17.Operation({
    sourceAccount: null,
    body: xdr17.OperationBody.invokeHostFunction(
      new xdr17.InvokeHostFunctionOp({
        hostFunction: xdr17.HostFunction.hostFunctionTypeInvokeContract(
          new xdr17.InvokeContractArgs({
            contractAddress: Address.fromString(contract).toScAddress(),
            functionName,
            args,
          }),
        ),
        auth: [],
      }),
    ),
  })

const instanceKey = (contract: string): string =>
  xdr17.LedgerKey.contractData(
    new xdr17.LedgerKeyContractData({
      contract: Address.fromString(contract).toScAddress(),
      key: xdr17.ScVal.scvLedgerKeyContractInstance(),
      durability: xdr17.ContractDataDurability.persistent,
    }),
  ).toXdr('base64')
