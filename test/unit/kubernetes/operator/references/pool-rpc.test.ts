import { describe, expect, test } from 'vitest'
import type { ChannelPool } from '../../../../../src/kubernetes/crd/channel-pool.ts'
import { rpcEndpoints } from '../../../../../src/kubernetes/operator/references/pool-rpc.ts'

const poolOf = (rpc: object, network = 'stellar:testnet') =>
  ({ spec: { network, rpc: { allowHttp: false, ...rpc } } }) as unknown as ChannelPool
const urls = { secretRef: { name: 'rpc', key: 'urls' } }
const headers = { headersSecretRef: { name: 'rpc', key: 'headers' } }
const reading = (values: Readonly<Record<string, string>>) => (ref: { key: string }) =>
  values[ref.key]

describe('N4: the RPC endpoints of a pool', () => {
  test('are those of the spec, without a Secret', () => {
    const found = rpcEndpoints(poolOf({ urls: ['https://rpc.example'] }), reading({}))
    expect(found).toEqual({ urls: ['https://rpc.example'], headers: [] })
  })

  test('are those of the Secret, with headers for the endpoints that they name', () => {
    const values = {
      urls: 'https://rpc.example/v1/key?token=x, https://two.example:8443',
      headers:
        'https://two.example:8443 X-Api-Key: k: 1\nhttps://rpc.example Authorization: Bearer b\n',
    }
    expect(rpcEndpoints(poolOf({ ...urls, ...headers }), reading(values))).toEqual({
      urls: ['https://rpc.example/v1/key?token=x', 'https://two.example:8443'],
      headers: [
        { origin: 'https://two.example:8443', name: 'x-api-key', value: 'k: 1' },
        { origin: 'https://rpc.example', name: 'authorization', value: 'Bearer b' },
      ],
    })
  })

  test.each([
    ['no Secret', urls, {}, 'RpcSecretMissing', 'There is no Secret rpc, key urls, with the URLs'],
    ['no headers', { urls: ['https://a'], ...headers }, {}, 'RpcSecretMissing', 'key headers'],
    ['another text', urls, { urls: 'hunter2' }, 'RpcSecretInvalid', '1 to 8 http(s) URLs'],
    ['nine URLs', urls, { urls: 'https://hunter2,'.repeat(9) }, 'RpcSecretInvalid', '1 to 8'],
    ['plain http', urls, { urls: 'http://hunter2' }, 'RpcSecretInvalid', 'must be https, unless'],
    [
      'a header without its origin',
      { urls: ['https://a'], ...headers },
      { headers: 'X-Api-Key: hunter2' },
      'RpcSecretInvalid',
      'https://rpc.example X-Api-Key: KEY',
    ],
    [
      'a header for another origin',
      { urls: ['https://a'], ...headers },
      { headers: 'https://b X-Api-Key: hunter2' },
      'RpcSecretInvalid',
      'an origin of no RPC endpoint',
    ],
    [
      'a header of the connection',
      { urls: ['https://a'], ...headers },
      { headers: 'https://a Host: hunter2' },
      'RpcSecretInvalid',
      'https://rpc.example X-Api-Key: KEY',
    ],
  ])('are refused with %s, and nothing of the value is said', (_, rpc, values, reason, text) => {
    const found = rpcEndpoints(poolOf(rpc), reading(values))
    expect(found).toMatchObject({ reason, message: expect.stringContaining(text) })
    expect(JSON.stringify(found)).not.toContain('hunter2')
  })

  test('are https on the public network', () => {
    const found = rpcEndpoints(
      poolOf({ ...urls, allowHttp: true }, 'stellar:pubnet'),
      reading({ urls: 'http://localhost:8000' }),
    )
    expect(found).toMatchObject({ reason: 'RpcSecretInvalid' })
  })
})
