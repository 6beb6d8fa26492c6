/** Who may pay and be paid in the scheme `upto`, and what happens to them between verification and ledger. */
import { StrKey, xdr } from '@stellar/stellar-sdk'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { rewrite } from '../../../../support/ledger-surgery.ts'
import {
  accountEntry,
  eventsOf,
  transactionsAfter,
  transfersOf,
  trustlineKey,
  usdcOf,
} from '../../../../support/ledger-view.ts'
import {
  muxed,
  openWallet,
  type PaymentDraft,
  usdc,
  type Wallet,
} from '../../../../support/payments.ts'
import { type RpcProxy, startRpcProxy } from '../../../../support/rpc-proxy.ts'
import { settleOf } from '../../../../support/upto-payments.ts'
import { asAuthority, Outsider } from './as-authority.ts'
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
beforeAll(async () => {
  proxy = await startRpcProxy()
  world = await openUptoWorld({ rpcThrough: proxy.forwardTo, timings: { rebroadcastMs: 200 } })
})
beforeEach(() => proxy.heal())
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await proxy?.[Symbol.asyncDispose]()
})

const ACTUAL = 40_000n

const payers: Record<string, () => Promise<Wallet>> = {
  'an account': async () => world.payer,
  'a smart account': () => world.deployer.smartAccount(),
  'a smart account that emits an event of its own': () => world.deployer.smartAccount('loud'),
}
const recipients: Record<string, () => Promise<string>> = {
  'an account': async () => world.seller.address,
  'a contract': async () => (await world.deployer.smartAccount()).address,
  'a contract that held nothing before': () => world.deployer.bell(),
}
const cases = Object.entries(payers).flatMap(([payer, openPayer]) =>
  Object.entries(recipients).flatMap(([recipient, openRecipient]) =>
    (recipient === 'an account' ? (['V1', 'V2'] as const) : (['V2'] as const)).map((version) => ({
      payer,
      recipient,
      version,
      openPayer,
      openRecipient,
    })),
  ),
)

describe('a metered settlement', () => {
  test.each(cases)(
    'from $payer with $version credentials to $recipient moves the amount and the fee, and nothing else',
    async ({ openPayer, openRecipient, version }) => {
      const { stack, authority, sponsor } = world
      const { network } = stack.localnet
      const payer = await openPayer()
      const payTo = await openRecipient()
      const body = settleOf(await world.upto({ payer, payTo, version }), ACTUAL)
      const before = { ledger: latest(world), ...holdings(payer.address, payTo) }
      const answer = await world.settle(body)
      expect(answer).toEqual({
        success: true,
        transaction: expect.stringMatching(/^[0-9a-f]{64}$/),
        network: 'stellar:testnet',
        payer: payer.address,
        amount: `${ACTUAL}`,
      })
      const [applied, ...others] = transactionsAfter(network, before.ledger)
      expect(others).toEqual([])
      if (!applied) throw new Error('nothing was applied')
      expect(applied).toMatchObject({ hash: answer.transaction, successful: true })
      const transfer = { contract: usdc, from: payer.address, to: payTo, amount: ACTUAL }
      expect(transfersOf(applied)).toEqual([transfer])
      const settled = eventsOf(applied).filter(
        ({ contract }) => contract === world.service.contract,
      )
      expect(settled).toMatchObject([
        { topics: ['upto_settled', payer.address], data: [100_000n, ACTUAL] },
      ])
      const { feeCharged } = xdr.TransactionResult.fromXdr(applied.resultXdr)
      expect(holdings(payer.address, payTo)).toEqual({
        payer: before.payer - ACTUAL,
        payTo: before.payTo + ACTUAL,
        sponsor: before.sponsor - feeCharged,
        authority: before.authority,
      })
      expect(usdcOf(network, authority.address)).toBeUndefined()
      expect(usdcOf(network, world.service.contract) ?? 0n).toBe(0n)
      expect(sourcesOf(applied.envelopeXdr)).toEqual({
        fee: sponsor,
        operation: authority.address,
      })
    },
  )

  test('to a muxed address is refused, before anything is stored or sent', async () => {
    const { stack, seller } = world
    const payTo = muxed(seller.address)
    const ledger = latest(world)
    const rows = await countSettlements(stack)
    const body = await world.upto({ terms: { payTo } })
    const code = 'invalid_exact_stellar_requirements_invalid_pay_to'
    expect((await stack.post('/verify', body)).body).toMatchObject({ invalidReason: code })
    expect(await world.settle(body)).toMatchObject({ errorReason: code, transaction: '' })
    await stack.localnet.closeLedger()
    expect(transactionsAfter(stack.localnet.network, ledger)).toEqual([])
    expect(await countSettlements(stack)).toBe(rows)
  })
})

/** Lumens of our accounts, USDC of the parties. */
const holdings = (payer: string, payTo: string) => {
  const { network } = world.stack.localnet
  return {
    payer: usdcOf(network, payer) ?? 0n,
    payTo: usdcOf(network, payTo) ?? 0n,
    sponsor: accountEntry(network, world.sponsor).balance,
    authority: accountEntry(network, world.authority.address).balance,
  }
}

function sourcesOf(envelopeXdr: Uint8Array) {
  const envelope = xdr.TransactionEnvelope.fromXdr(envelopeXdr)
  if (envelope.type !== 'envelopeTypeTxFeeBump') throw new Error('not a fee bump')
  const { feeSource, innerTx } = envelope.feeBump.tx
  const [operation] = innerTx.v1.tx.operations
  return { fee: addressOf(feeSource), operation: addressOf(operation?.sourceAccount) }
}

const addressOf = (account: xdr.MuxedAccount | null | undefined): string | undefined =>
  account?.type === 'keyTypeEd25519'
    ? StrKey.encodeEd25519PublicKey(account.ed25519.toBytes())
    : undefined

const authorize = (address: string, isAuthorized: boolean): void =>
  rewrite(world.stack.localnet.network, trustlineKey(address), (data) => {
    if (data.type === 'trustline') Object.assign(data.trustLine, { flags: isAuthorized ? 1 : 0 })
  })

test.each(['payer', 'recipient'] as const)(
  'when the issuer freezes the balance of the %s after the verification, nothing is settled until it is free again',
  async (who) => {
    const { stack } = world
    const [payer, seller] = [await openWallet(stack.localnet), await openWallet(stack.localnet, 1n)]
    const frozen = who === 'payer' ? payer.address : seller.address
    const body = await world.upto({ payer, payTo: seller.address })
    expect((await stack.post('/verify', body)).body).toMatchObject({ isValid: true })
    authorize(frozen, false)
    expect(await world.settle(settleOf(body, ACTUAL))).toMatchObject({
      errorReason: 'invalid_exact_stellar_payload_trustline_not_authorized',
      transaction: '',
    })
    expect(await rowOf(stack, body, payer.address)).toBeUndefined()
    authorize(frozen, true)
    expect(await world.settle(settleOf(body, ACTUAL))).toMatchObject({ success: true })
    expect(usdcOf(stack.localnet.network, seller.address)).toBe(1n + ACTUAL)
  },
)

interface Fate {
  readonly code: string
  readonly when: string
  readonly payer?: () => Promise<Wallet>
  readonly change: (given: {
    readonly payer: Wallet
    readonly draft: PaymentDraft
  }) => Promise<unknown>
  /** What the seller has of it. */
  readonly moved: bigint
}

const fates: readonly Fate[] = [
  {
    code: 'trustline_not_authorized',
    when: 'the issuer freezes the balance of the payer',
    change: async ({ payer }) => authorize(payer.address, false),
    moved: 0n,
  },
  {
    code: 'smart_account_rejected',
    when: 'the smart account changes its mind',
    payer: () => world.deployer.smartAccount(),
    change: ({ payer }) =>
      world.deployer.call(payer.address, 'set_refusing', xdr.ScVal.scvBool(true)),
    moved: 0n,
  },
  {
    // As another service with the same sponsor and another store would do.
    code: 'nonce_already_used',
    when: 'the authority settles it in another transaction',
    change: async ({ draft }) => {
      const outsider = await Outsider.open(world.stack.localnet)
      const applied = await outsider.send(asAuthority(draft, world.authority))
      expect(applied).toMatchObject({ successful: true })
    },
    moved: 100_000n,
  },
]

test.each(fates)(
  'a recorded settlement fails on the ledger with the cause $code when $when, and is not made again',
  async (fate) => {
    const { stack } = world
    const { network } = stack.localnet
    const payer = await (fate.payer?.() ?? openWallet(stack.localnet))
    const payTo = (await openWallet(stack.localnet, 1n)).address
    const afterwards = vi.fn()
    const body = await world.upto({ payer, payTo, afterwards, call: { actual: 100_000n } })
    proxy.fail('sendTransaction', { kind: 'swallow' })
    const settling = world.settle(settleOf(body, ACTUAL))
    await untilState(stack, body, { payer: payer.address, state: 'submitted' })
    await fate.change({ payer, draft: afterwards.mock.calls[0]?.[0] })
    proxy.heal()
    const answer = await settling
    expect(answer).toMatchObject({
      success: false,
      errorReason: 'settle_exact_stellar_transaction_failed',
      errorMessage: expect.stringMatching(/^the transaction failed on ledger \d+: txFailed, /),
    })
    const { rows } = await sql<{ code: string }>`
    select failure_code as code from settlements
    where tx_hash = ${answer.transaction}`.execute(stack.store.db)
    expect(rows).toEqual([{ code: fate.code }])
    expect(await world.settle(settleOf(body, ACTUAL))).toEqual(answer)
    expect(await world.settle(settleOf(body, 1n))).toMatchObject({
      errorReason: 'settle_exact_stellar_idempotency_conflict',
    })
    expect(usdcOf(network, payTo)).toBe(1n + fate.moved)
  },
)
