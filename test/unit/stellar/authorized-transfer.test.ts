import { Keypair, nativeToScVal, xdr } from '@stellar/stellar-sdk'
import { describe, expect, test } from 'vitest'
import { usdcContracts } from '../../../src/core/caip2.ts'
import { authorizedTransfer } from '../../../src/stellar/authorized-transfer.ts'
import type { CallRpc } from '../../../src/stellar/json-rpc.ts'
import { RpcError } from '../../../src/stellar/rpc.ts'

/* What an RPC cannot show; what it shows is in test/component/mcp, on a ledger. */

const payer = Keypair.random().publicKey()
const authorization = {
  asset: usdcContracts['stellar:testnet'],
  payer,
  nonce: 7n,
  afterLedger: 100,
  lastLedger: 112,
}

/** An endpoint with these answers; it refuses any other request. */
const endpoint =
  (answers: Readonly<Record<string, object>>): CallRpc =>
  async (method, _params, schema) => {
    const answer = answers[method]
    if (answer === undefined) throw new RpcError('rejected', method, 'not retained')
    const read = schema.safeParse(answer)
    if (!read.success) throw new RpcError('unreadable', method, 'another answer')
    return read.data
  }

const tip = (sequence: number) => ({ sequence, protocolVersion: 29 })
const events = (latestLedger: number, ...found: object[]) => ({ latestLedger, events: found })
const transfer = {
  ledger: 110,
  txHash: 'a'.repeat(64),
  topic: [
    xdr.ScVal.scvSymbol('transfer').toXdr('base64'),
    nativeToScVal(payer, { type: 'address' }).toXdr('base64'),
  ],
  value: nativeToScVal(5n, { type: 'i128' }).toXdr('base64'),
}

describe('an authorization', () => {
  test.each([
    ['before any ledger closed', 'open', { getLatestLedger: tip(100) }],
    ['while it is valid', 'open', { getLatestLedger: tip(112), getEvents: events(112) }],
    ['when the search was behind', 'open', { getLatestLedger: tip(113), getEvents: events(112) }],
    ['when it has expired', 'unused', { getLatestLedger: tip(113), getEvents: events(113) }],
  ])('%s is %s', async (_, state, answers) => {
    expect(await authorizedTransfer(endpoint(answers), authorization)).toEqual({ state })
  })

  test.each([
    ['the ledgers are not retained', { getLatestLedger: tip(113) }],
    [
      'a transaction with an event is not there',
      {
        getLatestLedger: tip(113),
        getEvents: events(113, transfer),
        getTransaction: { status: 'NOT_FOUND' },
      },
    ],
  ])('is not called unused when %s', async (_, answers) => {
    await expect(authorizedTransfer(endpoint(answers), authorization)).rejects.toThrow(RpcError)
  })
})
