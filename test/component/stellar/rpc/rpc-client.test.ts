import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Keypair, xdr } from '@stellar/stellar-sdk'
import { afterEach, describe, expect, it, test } from 'vitest'
import { accountKey } from '../../../../src/stellar/accounts/account-entries.ts'
import { RpcError } from '../../../../src/stellar/rpc/rpc.ts'
import { rpcClient } from '../../../../src/stellar/rpc/rpc-client.ts'
import { jsonRpc, type RpcRequest } from '../../../../src/stellar/rpc/transport/json-rpc.ts'

interface Call {
  readonly method: string
  readonly params?: { readonly keys?: readonly string[] }
}

const servers: Server[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** An endpoint that answers each call with the result of `answer`; text is sent unchanged. */
async function endpoint(answer: (call: Call) => unknown, status = 200): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const made = answer(JSON.parse(body))
    if (made === undefined) return
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(typeof made === 'string' ? made : JSON.stringify(made))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const result = (value: unknown) => ({ jsonrpc: '2.0', id: 1, result: value })
const noAnswer = () => undefined

const accountOf = (address: string): string =>
  xdr.LedgerEntryData.account(
    new xdr.AccountEntry({
      accountId: xdr.PublicKey.publicKeyTypeEd25519(Keypair.fromPublicKey(address).rawPublicKey()),
      balance: 1_000n,
      seqNum: 7n,
      numSubEntries: 1,
      inflationDest: null,
      flags: 0,
      homeDomain: '',
      thresholds: new Uint8Array([1, 0, 0, 0]),
      signers: [],
      ext: xdr.AccountEntryExt.v0(),
    }),
  ).toXdr('base64')

describe('the RPC client', () => {
  test.each<{
    when: string
    answer: (call: Call) => unknown
    status?: number
    kind: string
    says: string
  }>([
    {
      when: 'HTTP 502',
      answer: () => 'bad gateway',
      status: 502,
      kind: 'transport',
      says: 'HTTP 502',
    },
    { when: 'text', answer: () => '<html>', kind: 'unreadable', says: 'not JSON' },
    { when: 'other JSON', answer: () => '[]', kind: 'unreadable', says: 'JSON-RPC' },
    {
      when: 'a result of another shape',
      answer: () => result({ sequence: 'x' }),
      kind: 'unreadable',
      says: 'sequence',
    },
    {
      when: 'a JSON-RPC error',
      answer: () => ({ jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'no such thing' } }),
      kind: 'rejected',
      says: 'no such thing (-32602)',
    },
  ])('throws $kind when the answer is $when', async ({ answer, status, kind, says }) => {
    const rpc = rpcClient({ url: await endpoint(answer, status), allowHttp: true })
    const failure = await rpc.latestLedger().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(RpcError)
    expect(failure).toMatchObject({
      kind,
      method: 'getLatestLedger',
      message: expect.stringContaining(says),
    })
  })

  it('throws unreadable when the XDR inside is broken', async () => {
    const rpc = rpcClient({
      url: await endpoint(() =>
        result({ latestLedger: 5, minResourceFee: '1', transactionData: 'AAAA' }),
      ),
      allowHttp: true,
    })
    await expect(rpc.simulate('AAAA')).rejects.toMatchObject({ kind: 'unreadable' })
  })

  it('throws after its time limit', async () => {
    const rpc = rpcClient({ url: await endpoint(noAnswer), allowHttp: true, timeoutMs: 20 })
    await expect(rpc.latestLedger()).rejects.toMatchObject({
      kind: 'transport',
      message: expect.stringContaining('no answer within 20 ms'),
    })
  })

  it("throws the signal's reason when it aborts", async () => {
    const rpc = rpcClient({ url: await endpoint(noAnswer), allowHttp: true })
    const abort = new AbortController()
    const answer = rpc.latestLedger(abort.signal)
    abort.abort(new Error('no longer wanted'))
    await expect(answer).rejects.toThrow('no longer wanted')
  })

  it('gives the cause of a refused connection', async () => {
    const url = await endpoint(noAnswer)
    const [server] = servers.splice(0)
    await new Promise((resolve) => server?.close(resolve))
    await expect(rpcClient({ url, allowHttp: true }).latestLedger()).rejects.toMatchObject({
      kind: 'transport',
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })

  it('follows no redirect', async () => {
    const url = await endpoint(() => '', 302)
    await expect(rpcClient({ url, allowHttp: true }).latestLedger()).rejects.toMatchObject({
      kind: 'transport',
    })
  })

  it('reports every request and how it ended', async () => {
    const seen: RpcRequest[] = []
    let calls = 0
    const tip = { sequence: 5, protocolVersion: 29, closeTime: '9' }
    const url = await endpoint(() => (calls++ === 0 ? result(tip) : 'broken'))
    const rpc = rpcClient({ url, allowHttp: true, onRequest: (request) => seen.push(request) })
    await rpc.latestLedger()
    await rpc.latestLedger().catch(() => undefined)
    expect(seen).toEqual([
      { method: 'getLatestLedger', seconds: expect.any(Number) },
      { method: 'getLatestLedger', failure: 'unreadable', seconds: expect.any(Number) },
    ])
  })

  it('takes the close time from getTransaction when getLatestLedger lacks it', async () => {
    const range = {
      status: 'NOT_FOUND',
      latestLedger: 6,
      latestLedgerCloseTime: '1700000000',
      oldestLedger: 1,
      oldestLedgerCloseTime: '1',
    }
    const url = await endpoint(({ method }) =>
      result(method === 'getTransaction' ? range : { sequence: 5, protocolVersion: 22 }),
    )
    expect(await rpcClient({ url, allowHttp: true }).latestLedger()).toEqual({
      sequence: 6,
      protocolVersion: 22,
      closeTime: 1_700_000_000,
    })
  })

  it('reads any number of accounts, 200 to a request', async () => {
    const addresses = Array.from({ length: 450 }, () => Keypair.random().publicKey())
    const byKey = new Map(addresses.map((address) => [accountKey(address), address]))
    const sizes: number[] = []
    const missing = addresses[3]!
    const url = await endpoint(({ params }) => {
      const keys = params?.keys ?? []
      sizes.push(keys.length)
      const entries = keys.flatMap((key) => {
        const address = byKey.get(key)
        return address && address !== missing ? [{ key, xdr: accountOf(address) }] : []
      })
      return result({ latestLedger: 5, entries })
    })
    const accounts = await rpcClient({ url, allowHttp: true }).accounts(addresses)
    expect(sizes.toSorted()).toEqual([200, 200, 50])
    expect(accounts.size).toBe(449)
    expect(accounts.has(missing)).toBe(false)
    expect(accounts.get(addresses[0]!)).toMatchObject({
      balance: 1_000n,
      sequence: 7n,
      subentries: 1,
    })
  })

  it('sends no request for an empty list of accounts', async () => {
    const url = await endpoint(() => 'broken')
    expect((await rpcClient({ url, allowHttp: true }).accounts([])).size).toBe(0)
  })
})

describe('the address of an endpoint', () => {
  test.each([
    ['http://127.0.0.1:1', false, 'must be https'],
    ['ftp://127.0.0.1', true, 'must be https or http'],
    ['nowhere', true, 'not a URL'],
  ])('%s with allowHttp %s is refused', (url, allowHttp, says) => {
    expect(() => jsonRpc({ url, allowHttp })).toThrow(says)
  })

  it('may be https', () => {
    expect(() => jsonRpc({ url: 'https://rpc.example' })).not.toThrow()
  })
})
