import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pay } from '../../../src/buying/pay/pay.ts'
import { walletOf } from '../../../src/buying/sign/sign-payment.ts'
import { uptoContractsOf } from '../../../src/commands/buying/upto-contracts.ts'
import { uptoContract } from '../../../src/localnet/genesis/upto-contract.ts'
import { passphrases, usdcContracts } from '../../../src/platform/core/caip2.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import {
  answers,
  asksFor,
  meteredOffer,
  paidServer,
  settled,
} from '../commands/buying/paid-server.ts'
import { type BuyerWorld, buyerWorld } from './buyer-world.ts'

const network = 'stellar:testnet'
const known = uptoContract(passphrases[network])
const other = usdcContracts[network]

let world: BuyerWorld
beforeAll(async () => {
  world = await buyerWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

describe('a wallet whose owner lists settlement contracts', () => {
  /** @param named by the seller */
  const payWith = async (contracts: readonly string[], named = known) => {
    const price = asksFor(meteredOffer(world.seller.address, {}, { uptoContract: named }))
    await using server = await paidServer(price, answers(200, settled))
    const { buyer, stack, http } = world
    const wallet = walletOf(buyer.secret, network, stack.localnet.rpcUrl, contracts)
    const limits = { maxAmount: 10_000_000n }
    const paid = await pay(await world.ask(server.url), limits, wallet, {
      ...{ http, clock: systemClock },
    }).catch((error: unknown) => error)
    return { paid, signed: server.paid.length }
  }

  test('signs for a listed one', async () => {
    expect(await payWith([other, known])).toMatchObject({ signed: 1 })
  })

  test('signs for no listed one that runs other code', async () => {
    expect(await payWith([other], other)).toMatchObject({
      paid: { code: 'not_payable', isSent: false },
      signed: 0,
    })
  })

  test('signs for no other, whatever code the RPC says that it runs', async () => {
    expect(await payWith([other])).toMatchObject({
      paid: { code: 'not_payable', isSent: false },
      signed: 0,
    })
  })
})

test('a variable lists them', () => {
  const of = (text: string | undefined) => uptoContractsOf({ BUYER_UPTO_CONTRACTS: text })
  expect(of(undefined)).toBeUndefined()
  expect(of(`${known}, ${other}`)).toEqual([known, other])
  for (const text of [',', `${known},`, 'CABC', world.seller.address]) {
    expect(() => of(text)).toThrow('BUYER_UPTO_CONTRACTS lists contracts')
  }
})
