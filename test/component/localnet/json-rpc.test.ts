import { xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callRpc, createWorld, type World } from './test-network.ts'

let world: World
let url: string
beforeAll(async () => {
  world = await createWorld()
  url = world.server.httpUrl
})
afterAll(() => world[Symbol.asyncDispose]())

const ttlKey = xdr.LedgerKey.ttl(
  new xdr.LedgerKeyTtl({ keyHash: new xdr.Hash(new Uint8Array(32)) }),
).toXdr('base64')

describe('errors of the RPC', () => {
  const tooMany = Array.from({ length: 201 }, () => ttlKey)
  it.each<[string, unknown, number, string]>([
    ['getPizza', {}, -32601, 'method not found'],
    ['getHealth', [], -32602, 'invalid parameters'],
    ['getLedgerEntries', { keys: 'x' }, -32602, 'invalid parameters'],
    ['getLedgerEntries', { keys: ['AA'] }, -32602, 'cannot unmarshal key value AA at index 0'],
    [
      'getLedgerEntries',
      { keys: [ttlKey] },
      -32602,
      'ledger ttl entries cannot be queried directly',
    ],
    [
      'getLedgerEntries',
      { keys: tooMany },
      -32602,
      'key count (201) exceeds maximum supported (200)',
    ],
    [
      'getLedgerEntries',
      { xdrFormat: 'hex' },
      -32602,
      "got 'hex': expected base64, json for optional 'xdrFormat'",
    ],
    ['getTransaction', { hash: 'abc' }, -32602, 'unexpected hash length (3)'],
    [
      'getTransaction',
      { hash: 'zz'.repeat(32) },
      -32602,
      "incorrect hash: encoding/hex: invalid byte: U+007A 'z'",
    ],
    ['sendTransaction', { transaction: 'AAAA' }, -32602, 'invalid_xdr'],
    ['sendTransaction', {}, -32602, 'invalid_xdr'],
    ['getEvents', {}, -32602, 'startLedger must be positive'],
    [
      'getEvents',
      { startLedger: 1, pagination: { limit: 10_001 } },
      -32602,
      'limit must not exceed 10000',
    ],
    [
      'getEvents',
      { startLedger: 1, pagination: { cursor: '1-1' } },
      -32602,
      'ledger ranges and cursor cannot both be set',
    ],
    [
      'getEvents',
      { startLedger: 1, filters: [{ type: 'x' }] },
      -32602,
      "filter 1 invalid: filter type invalid: if set, type must be either 'system' or 'contract'",
    ],
  ])('%s with %j', async (method, params, code, message) => {
    expect((await callRpc(url, method, params)).error).toMatchObject({ code, message })
  })

  it('name the range of ledgers in an error', async () => {
    const { oldest, latest } = world.server.network
    const startLedger = latest.sequence + 9
    const events = await callRpc(url, 'getEvents', { startLedger })
    expect(events.error).toEqual({
      code: -32600,
      message: `startLedger must be within the ledger range: ${oldest.sequence} - ${latest.sequence}`,
    })
    const ledgers = await callRpc(url, 'getLedgers', { startLedger })
    expect(ledgers.error).toEqual({
      code: -32600,
      message: `start ledger (${startLedger}) must be between the oldest ledger: ${oldest.sequence} and the latest ledger: ${latest.sequence} for this rpc instance`,
    })
  })
})

describe('results of the RPC', () => {
  it('have the zero values of Stellar RPC for a missing transaction', async () => {
    const hash = 'ab'.repeat(32)
    const { latest, oldest } = world.server.network
    expect((await callRpc(url, 'getTransaction', { hash })).result).toEqual({
      status: 'NOT_FOUND',
      latestLedger: latest.sequence,
      latestLedgerCloseTime: String(latest.closeTime),
      oldestLedger: oldest.sequence,
      oldestLedgerCloseTime: String(oldest.closeTime),
      txHash: hash,
      applicationOrder: 0,
      feeBump: false,
      events: {},
      ledger: 0,
      createdAt: '0',
    })
  })

  it('have the header and the close meta of the latest ledger', async () => {
    const { latest } = world.server.network
    const { result } = await callRpc(url, 'getLatestLedger')
    expect(result).toMatchObject({
      id: latest.hash,
      sequence: latest.sequence,
      closeTime: String(latest.closeTime),
    })
    const header = xdr.LedgerHeader.fromXdr(String(result?.['headerXdr']), 'base64')
    expect(header.ledgerSeq).toBe(latest.sequence)
    const meta = xdr.LedgerCloseMeta.fromXdr(String(result?.['metadataXdr']), 'base64')
    const processed = meta.type === 'v2' ? meta.v2.txProcessing.length : 0
    expect(processed).toBe(latest.transactions.length)
  })

  it('have XDR as JSON on request', async () => {
    const paid = world.server.network.latest.transactions[0]
    const { result } = await callRpc(url, 'getTransaction', { hash: paid?.hash, xdrFormat: 'json' })
    expect(result).toMatchObject({ status: 'SUCCESS', resultJson: { result: expect.anything() } })
    expect(result).not.toHaveProperty('resultXdr')
  })

  // The crate stellar-xdr wrote `type_` before version 28.
  it('have the names of SEP-51 in JSON, and the SDK reads the older ones too', async () => {
    const paid = world.server.network.latest.transactions[0]
    const { result } = await callRpc(url, 'getTransaction', { hash: paid?.hash, xdrFormat: 'json' })
    const { contractEventsJson } = Object(result?.['events'])
    const event = contractEventsJson[0][0]
    const { type, ...others } = event
    expect(type).toBe('contract')
    expect(event).not.toHaveProperty('type_')
    for (const json of [event, { ...others, type_: type }]) {
      expect(xdr.ContractEvent.fromJson(json).toXdr('base64')).toBe(
        Buffer.from(paid?.contractEvents[0]?.[0] ?? []).toString('base64'),
      )
    }
  })

  it('are one array for a batch', async () => {
    const batch = ['getHealth', 'getNetwork'].map((method, id) => ({ jsonrpc: '2.0', id, method }))
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(batch) })
    expect(await response.json()).toMatchObject([
      { id: 0, result: { status: 'healthy' } },
      { id: 1, result: { passphrase: world.server.network.passphrase } },
    ])
  })
})

describe('the HTTP server', () => {
  it('describes the network at its root', async () => {
    const { passphrase } = world.server.network
    const methods = expect.arrayContaining(['simulateTransaction', 'getEvents'])
    expect(await (await fetch(url)).json()).toMatchObject({ passphrase, methods })
  })

  it('allows every origin', async () => {
    const response = await fetch(url, { method: 'OPTIONS' })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-headers')).toBe('*')
  })

  it.each([
    ['GET', '/nowhere', undefined, 404],
    ['DELETE', '/', undefined, 405],
    ['GET', '/close', undefined, 405],
    ['POST', '/', 'x'.repeat(1_048_577), 413],
    ['POST', '/', '{"jsonrpc":"2.0","method":"getHealth"}', 204],
    ['POST', '/rpc', '{"jsonrpc":"2.0","id":1,"method":"getHealth"}', 200],
  ])('responds to %s %s', async (method, path, body, status) => {
    const response = await fetch(`${url}${path}`, { method, ...(body ? { body } : {}) })
    await response.text()
    expect(response.status).toBe(status)
  })

  it('closes a ledger on POST /close', async () => {
    const { sequence } = world.server.network.latest
    const closed = await (await fetch(`${url}/close`, { method: 'POST' })).json()
    expect(closed).toMatchObject({ sequence: sequence + 1, transactions: 0 })
    expect(world.server.network.latest.sequence).toBe(sequence + 1)
  })
})
