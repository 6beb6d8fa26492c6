/** Settlements whose payment could be made in the simulation and fails on the ledger. */
import { Asset, Keypair, Operation, rpc, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { USDC_ISSUER } from '../../../src/localnet/genesis/genesis-assets.ts'
import {
  type LedgerFailureCode,
  ledgerFailures,
} from '../../../src/payments/causes/ledger-failure.ts'
import { rewrite } from '../../support/ledger-surgery.ts'
import { accountEntry, trustlineKey } from '../../support/ledger-view.ts'
import { openWallet, type PaymentPlan, type Wallet } from '../../support/payments.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'
import { unit } from '../../support/stack.ts'
import { spendNonce } from './consume.ts'
import { rowOf, untilState } from './store-view.ts'
import { openWorld, type World } from './world.ts'

interface Case {
  readonly code: LedgerFailureCode
  readonly when: string
  readonly plan?: (world: World) => Promise<Partial<PaymentPlan>>
  /** What changes on the ledger after the simulation. */
  readonly change: (world: World, payment: Changed) => Promise<unknown>
  readonly says: RegExp
}

interface Changed {
  readonly payer: Wallet
  readonly payTo: string
  readonly body: Awaited<ReturnType<World['pay']>>
}

/** Sends operations of a party of the payment, and closes the ledger. */
async function send({ stack }: World, { key }: Wallet, operation: xdr.Operation): Promise<void> {
  const { localnet } = stack
  const server = new rpc.Server(localnet.httpUrl, { allowHttp: true })
  const transaction = new TransactionBuilder(await server.getAccount(key.publicKey()), {
    fee: '1000',
    networkPassphrase: localnet.network.passphrase,
  })
    .addOperation(operation)
    .setTimeout(0)
    .build()
  transaction.sign(key)
  const { hash } = await server.sendTransaction(transaction)
  await localnet.closeLedger()
  if (!localnet.network.transaction(hash)?.successful) throw new Error('the change failed')
}

const usdcAsset = new Asset('USDC', USDC_ISSUER)
const newPayer = async ({ stack: { localnet } }: World, holding = unit) => {
  const payer = await openWallet(localnet, holding)
  await localnet.pay({ address: payer.address, asset: 'XLM', amount: 10n * unit })
  return { payer }
}

const addSigner = () =>
  Operation.setOptions({
    signer: { ed25519PublicKey: Keypair.random().publicKey(), weight: 1 },
  })

const cases: readonly Case[] = [
  {
    code: 'insufficient_funds',
    when: 'the payer sends the balance elsewhere',
    plan: newPayer,
    change: (world, { payer }) =>
      send(
        world,
        payer,
        Operation.payment({ destination: USDC_ISSUER, asset: usdcAsset, amount: '1' }),
      ),
    says: /the payer G\w+ holds less USDC than the payment takes$/,
  },
  {
    code: 'smart_account_rejected',
    when: 'the smart account changes its mind',
    plan: async ({ deployer }) => ({ payer: await deployer.smartAccount() }),
    change: ({ deployer }, { payer }) =>
      deployer.call(payer.address, 'set_refusing', xdr.ScVal.scvBool(true)),
    says: /the smart account C\w+ refused the call with Error\(Contract, #1\)$/,
  },
  {
    code: 'invalid_signature',
    when: 'the payer takes the weight of the key that signed',
    plan: async (world) => {
      const { payer } = await newPayer(world)
      await send(world, payer, addSigner())
      return { payer }
    },
    change: (world, { payer }) => send(world, payer, Operation.setOptions({ masterWeight: 0 })),
    says: /the ledger refuses the signature of G\w+: /,
  },
  {
    // The entry of the payer's account is larger than the transaction may read.
    code: 'resource_limit_exceeded',
    when: 'the payer adds a signer',
    plan: newPayer,
    change: (world, { payer }) => send(world, payer, addSigner()),
    says: /the call used more resources than its simulation$/,
  },
  {
    code: 'nonce_already_used',
    when: 'the payer uses the nonce for another call',
    change: (world, { body, ...parties }) => spendNonce(world, body, parties),
    says: /the payer's authorization has been used already$/,
  },
  {
    code: 'payer_trustline_missing',
    when: 'the payer removes the trustline',
    plan: newPayer,
    change: async (world, { payer }) => {
      await send(
        world,
        payer,
        Operation.payment({ destination: USDC_ISSUER, asset: usdcAsset, amount: '1' }),
      )
      await send(world, payer, Operation.changeTrust({ asset: usdcAsset, limit: '0' }))
    },
    says: /the payer G\w+ holds no trustline to USDC$/,
  },
  {
    code: 'payer_account_missing',
    when: 'the payer merges the account',
    plan: newPayer,
    change: async (world, { payer, payTo }) => {
      await send(
        world,
        payer,
        Operation.payment({ destination: USDC_ISSUER, asset: usdcAsset, amount: '1' }),
      )
      await send(world, payer, Operation.changeTrust({ asset: usdcAsset, limit: '0' }))
      await send(world, payer, Operation.accountMerge({ destination: payTo }))
    },
    says: /the payer G\w+ does not exist on the ledger$/,
  },
  {
    code: 'trustline_not_authorized',
    when: "the issuer withdraws the authorization of the recipient's balance",
    plan: async ({ stack }) => ({ payTo: (await openWallet(stack.localnet)).address }),
    change: async ({ stack }, { payTo }) =>
      rewrite(stack.localnet.network, trustlineKey(payTo), (data) => {
        if (data.type === 'trustline') Object.assign(data.trustLine, { flags: 0 })
      }),
    says: /the issuer of USDC has not authorized the balance of one party$/,
  },
  {
    code: 'call_failed',
    when: "the payment would exceed the limit of the recipient's trustline",
    plan: async ({ stack }) => ({ payTo: (await openWallet(stack.localnet)).address }),
    change: async ({ stack }, { payTo }) =>
      rewrite(stack.localnet.network, trustlineKey(payTo), (data) => {
        if (data.type === 'trustline') Object.assign(data.trustLine, { limit: 100_000_001n })
      }),
    says: /the call failed for a cause without a code of its own$/,
  },
]

/** Settles while every envelope is lost, changes the ledger, and lets the next send through. */
async function failOnLedger(proxy: RpcProxy, world: World, { plan, change }: Case) {
  const { stack } = world
  const planned = { payer: world.payer, payTo: world.seller.address, ...(await plan?.(world)) }
  const body = await world.pay(planned)
  proxy.fail('sendTransaction', { kind: 'swallow' })
  const settling = stack.post('/settle', body)
  await untilState(stack, body, 'submitted')
  await change(world, { ...planned, body })
  proxy.heal('sendTransaction')
  const { body: answer } = await settling
  const row = await sql<{ code: string; fee: bigint }>`
    select failure_code as code, fee_charged as fee from settlements
    where tx_hash = ${answer.transaction}`.execute(stack.store.db)
  return { body, answer, ...row.rows[0] }
}

describe('a settlement that fails on the ledger', () => {
  test.each(cases)('has the cause $code when $when', async (example) => {
    await using proxy = await startRpcProxy()
    await using world = await openWorld({
      rpcThrough: proxy.forwardTo,
      timings: { rebroadcastMs: 200 },
    })
    const { stack } = world
    const before = accountEntry(stack.localnet.network, stack.sponsor.address).balance
    const { body, answer, code, fee } = await failOnLedger(proxy, world, example)
    expect(answer).toMatchObject({
      success: false,
      errorReason: 'settle_exact_stellar_transaction_failed',
      errorMessage: expect.stringMatching(
        /^the transaction failed on ledger \d+: txFailed, invokeHostFunction\w+: /,
      ),
    })
    expect(answer.errorMessage).toMatch(example.says)
    expect(code).toBe(example.code)
    expect(await rowOf(stack, body)).toMatchObject({ state: 'failed' })
    const after = accountEntry(stack.localnet.network, stack.sponsor.address).balance
    expect(before - after).toBe(fee)
    const { text } = await stack.metrics.expose()
    expect(text).toContain(
      `svc_failed_settlement_fees_stroops_total{network="stellar:testnet",cause="${example.code}"} ${fee}`,
    )
  })

  test('is no fault of the payer when the endpoint has no diagnostic events', async () => {
    await using proxy = await startRpcProxy()
    await using world = await openWorld({
      rpcThrough: proxy.forwardTo,
      timings: { rebroadcastMs: 200 },
    })
    const withoutEvents = ({ diagnosticEventsXdr: _, ...result }: Record<string, unknown>) => result
    proxy.fail('getTransaction', { kind: 'rewrite', change: withoutEvents })
    const [example] = cases
    if (!example) throw new Error('no case')
    const { answer, code } = await failOnLedger(proxy, world, example)
    expect(code).toBe('trapped')
    expect(answer.errorMessage).toMatch(/returned no diagnostic events that say why$/)
    expect(ledgerFailures.trapped.isPayersFault).toBe(false)
  })
})
