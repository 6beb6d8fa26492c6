import { afterAll, beforeAll, expect, test } from 'vitest'
import { transactionsAfter, transfersOf, usdcOf } from '../../../../support/ledger-view.ts'
import { openWallet, type PaymentBody, type Wallet } from '../../../../support/payments.ts'
import { settleOf, uptoPayment } from '../../../../support/upto-payments.ts'
import { warningsOf } from '../../health/health-world.ts'
import { expireLease, takeLease } from '../../upto-keeper/dying-keeper.ts'
import {
  contract,
  FLOOR,
  type KeeperWorld,
  openKeeperWorld,
} from '../../upto-keeper/keeper-world.ts'

/** Metered payments while the settlement contract is archived, and after the keeper has restored it. */
let world: KeeperWorld
let payer: Wallet
let seller: Wallet
beforeAll(async () => {
  world = await openKeeperWorld()
  const { localnet } = world.stack
  payer = await openWallet(localnet)
  seller = await openWallet(localnet, 1n)
})
afterAll(() => world?.[Symbol.asyncDispose]())

const DEADLINE = { timeout: 120_000, interval: 20 }
/** With the alias of the contract. */
const restoreRequired = 'upto_contract_restore_required upto'
const code = 'invalid_upto_stellar_ledger_entry_restore_required'

async function pay(): Promise<PaymentBody> {
  const { stack } = world
  const { body } = await stack.get('/supported')
  const { extra } = body.kinds.find((kind: { scheme: string }) => kind.scheme === 'upto')
  const service = { contract: extra.uptoContract, authority: extra.authority }
  const expirationLedger = stack.localnet.network.latest.sequence + 12
  return uptoPayment(stack.localnet, service, { payer, payTo: seller.address, expirationLedger })
}

test.each([
  { what: 'the instance', entry: 'instance' },
  { what: 'the code', entry: 'code' },
  { what: 'the instance and the code', entry: undefined },
] as const)(
  'a payment waits while $what of the contract is archived: the keeper restores it, the same payment settles',
  async ({ entry }) => {
    const { stack } = world
    const { network } = stack.localnet
    // Until its lease ends, this keeper is the only one, and does nothing.
    await takeLease(world)
    const body = await pay()
    const ledger = network.latest.sequence
    const held = usdcOf(network, seller.address) ?? 0n
    expect((await stack.post('/verify', body)).body).toMatchObject({ isValid: true })

    world.archive(entry)
    expect((await stack.post('/verify', body)).body).toMatchObject({
      isValid: false,
      invalidReason: code,
      invalidMessage: `the settlement contract ${contract} or its code is archived and must be restored first`,
    })
    const metered = settleOf(body, 40_000n)
    const refused = { success: false, errorReason: code, transaction: '' }
    expect((await stack.post('/settle', metered)).body).toMatchObject(refused)
    expect((await warningsOf(stack)).codes).toContain(restoreRequired)
    expect(transactionsAfter(network, ledger)).toEqual([])

    await expireLease(world)
    await expect
      .poll(world.ttls, DEADLINE)
      .toSatisfy(({ instance, code: bytes }) => instance >= FLOOR && bytes >= FLOOR)
    expect((await warningsOf(stack)).codes).not.toContain(restoreRequired)
    const answer = (await stack.post('/settle', metered)).body
    expect(answer).toMatchObject({ success: true, amount: '40000' })
    expect(usdcOf(network, seller.address)).toBe(held + 40_000n)
    expect(transactionsAfter(network, ledger).flatMap(transfersOf)).toHaveLength(1)
  },
)
