import { xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { transactionsAfter } from '../../support/ledger-view.ts'
import type { Wallet } from '../../support/payments.ts'
import { openWorld, type World } from '../payments/world.ts'
import { readPage } from './typed-page.ts'

/** The fees of docs/production.md, charged by the real Soroban host with testnet's prices. */

const page = readPage('docs/production.md')

/**
 * A ledger may close between signature and settlement, and the entry of the nonce then lives one ledger less, which
 * costs 3 stroops less.
 */
const A_FEW_LEDGERS = 20

function expectNear(row: string, measured: bigint): void {
  const difference = Number(measured - stroopsOf(row))
  expect({ row, isNear: Math.abs(difference) <= A_FEW_LEDGERS, measured }).toMatchObject({
    isNear: true,
  })
}

/** The number in the second cell of the row whose first cell starts with this. */
function stroopsOf(row: string): bigint {
  const line = page.split('\n').find((each) => each.startsWith(`| ${row}`)) ?? ''
  return BigInt(line.split(' | ')[1]?.replaceAll(/\D/g, '') ?? '')
}

let world: World
beforeAll(async () => {
  world = await openWorld({ network: { channelCount: 2 } })
})
afterAll(() => world[Symbol.asyncDispose]())

async function settle(payer: Wallet) {
  const { network } = world.stack.localnet
  const before = network.latest.sequence
  const { body } = await world.stack.post('/settle', await world.pay({ payer }))
  expect(body).toMatchObject({ success: true })
  const [applied] = transactionsAfter(network, before)
  const meta = xdr.TransactionMeta.fromXdr(applied?.resultMetaXdr ?? new Uint8Array())
  const envelope = xdr.TransactionEnvelope.fromXdr(applied?.envelopeXdr ?? new Uint8Array())
  const resources = meta.type === 'v4' ? meta.v4.sorobanMeta?.ext : undefined
  if (resources?.type !== 'v1' || envelope.type !== 'envelopeTypeTxFeeBump') {
    throw new Error('not a fee bump of a contract call')
  }
  const fees = resources.v1
  return {
    charged: xdr.TransactionResult.fromXdr(applied?.resultXdr ?? new Uint8Array()).feeCharged,
    declared: envelope.feeBump.tx.fee,
    nonRefundable: fees.totalNonRefundableResourceFeeCharged,
    rent: fees.rentFeeCharged,
    events: fees.totalRefundableResourceFeeCharged - fees.rentFeeCharged,
  }
}

describe('the page on production', () => {
  test('has the parts of the fee of a plain payment', async () => {
    const { charged, declared, nonRefundable, rent, events } = await settle(world.payer)
    expectNear('`G...` payer, lowest bid', charged)
    expectNear('non-refundable resource fee', nonRefundable)
    expectNear('rent', rent)
    expectNear('events', events)
    const [, counted = ''] =
      /([\d,]+) stroops count towards the hourly budget/.exec(page.replaceAll('\n', ' ')) ?? []
    expect(Math.abs(Number(counted.replace(',', '')) - Number(declared))).toBeLessThan(100)
  })

  test('has the fees of smart accounts', async () => {
    const smallest = await settle(await world.deployer.smartAccount())
    expectNear('smart account with the smallest check', smallest.charged)
    const { policy: _, ...withPolicy } = await world.deployer.policyAccount()
    const spending = await settle(withPolicy)
    expectNear('smart account with a spending policy', spending.charged)
  })
})
