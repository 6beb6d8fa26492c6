/* Which authorization paid, as a ledger shows it: for each kind of payer, and beside an allowance. */
import { Operation, xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalnetServer, startLocalnetServer } from '../../../../src/localnet/server/server.ts'
import { authorizedTransfer } from '../../../../src/stellar/history/authorized-transfer.ts'
import { jsonRpc } from '../../../../src/stellar/rpc/transport/json-rpc.ts'
import { Deployer } from '../../../support/contracts.ts'
import { genesisAt } from '../../../support/genesis.ts'
import {
  addressValue,
  callOf,
  i128,
  openWallet,
  type PaymentPlan,
  signedEntry,
  usdc,
  type Wallet,
} from '../../../support/payments.ts'
import { PromptLocalnet } from '../../../support/prompt-localnet.ts'

const AMOUNT = 100_000n
const ALLOWED = 70_000n
const VALID_LEDGERS = 40

describe.each([3, 4] as const)('with meta of version %i', (metaVersion) => {
  const opened = new AsyncDisposableStack()
  let localnet: LocalnetServer
  let deployer: Deployer
  let seller: Wallet
  beforeAll(async () => {
    const snapshot = await genesisAt(Date.now())
    const network = new PromptLocalnet({ snapshot, metaVersion, minCloseTimeStep: 0 })
    localnet = opened.use(await startLocalnetServer({ network, closeEveryMs: 'manual' }))
    deployer = new Deployer(localnet)
    seller = await openWallet(localnet)
  })
  afterAll(() => opened.disposeAsync())

  const latest = () => localnet.network.latest.sequence
  const planOf = (payer: Wallet, plan: Partial<PaymentPlan> = {}) => ({
    ...{ payer, payTo: seller.address, amount: AMOUNT },
    expirationLedger: latest() + VALID_LEDGERS,
    ...plan,
  })
  /** Calls what the first plan says, with the entries of all. */
  async function send(plan: PaymentPlan, others: readonly PaymentPlan[] = []): Promise<void> {
    const auth = await Promise.all([plan, ...others].map((each) => signedEntry(localnet, each)))
    const func = xdr.HostFunction.hostFunctionTypeInvokeContract(callOf(plan))
    await deployer.send(Operation.invokeHostFunction({ func, auth }))
  }
  const expire = async () => {
    const end = latest() + VALID_LEDGERS
    while (latest() <= end) await localnet.closeLedger()
  }

  function authorize(payer: Wallet, changes: Partial<PaymentPlan> = {}) {
    const { nonce = 3n } = changes
    const plan = planOf(payer, { ...changes, nonce })
    const authorization = {
      ...{ asset: usdc, payer: payer.address, nonce },
      ...{ afterLedger: latest(), lastLedger: plan.expirationLedger },
    }
    const call = jsonRpc({ url: localnet.httpUrl, allowHttp: true })
    return { plan, outcome: () => authorizedTransfer(call, authorization) }
  }

  test.each<[who: string, payer: () => Promise<Wallet>, version: 'V1' | 'V2']>([
    ['an account, signed in the first form', () => openWallet(localnet), 'V1'],
    ['an account, signed in the second form', () => openWallet(localnet), 'V2'],
    ['a smart account', () => deployer.smartAccount(), 'V2'],
  ])('a payment of %s', async (_, open, version) => {
    const payer = await open()
    const { plan, outcome } = authorize(payer, { version })
    // Another one of the payer, in the same ledgers.
    await send(planOf(payer, { version, amount: 5n }))
    expect(await outcome()).toEqual({ state: 'open' })
    await send(plan)
    const moved = { state: 'moved', amount: AMOUNT }
    expect(await outcome()).toMatchObject(moved)
    await expire()
    expect(await outcome()).toMatchObject(moved)
  })

  test.each<[who: string, payer: () => Promise<Wallet>]>([
    ['an account', () => openWallet(localnet)],
    ['a smart account', () => deployer.smartAccount()],
  ])('an allowance of %s is no payment with the entry beside it', async (_, open) => {
    const payer = await open()
    const lastLedger = xdr.ScVal.scvU32(latest() + 1_000)
    const [owner, spender] = [payer, seller].map(({ address }) => addressValue(address)) as [
      xdr.ScVal,
      xdr.ScVal,
    ]
    const args = [owner, spender, i128(2n * ALLOWED), lastLedger]
    await send(planOf(payer, { call: { contract: usdc, functionName: 'approve', args } }))

    const spend = () => {
      const spent = [spender, owner, spender, i128(ALLOWED)]
      const call = { contract: usdc, functionName: 'transfer_from', args: spent }
      return planOf(seller, { call })
    }
    const { plan: used, outcome: ofUsed } = authorize(payer)
    const { plan: unused, outcome: ofUnused } = authorize(payer, { nonce: 7n })
    await send(spend(), [used])
    expect(await ofUsed()).toEqual({ state: 'open' })
    await send(used)
    await send(spend(), [unused])
    expect(await ofUsed()).toMatchObject({ state: 'moved', amount: AMOUNT })
    expect(await ofUnused()).toEqual({ state: 'open' })
    await expire()
    expect(await ofUnused()).toEqual({ state: 'unused' })
  })
})
