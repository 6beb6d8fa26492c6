import { StrKey } from '@stellar/stellar-sdk'
import { describe, expect, test } from 'vitest'
import { specBlockerOf } from '../../../../../../src/kubernetes/operator/facilitator/desired/spec-blockers.ts'
import { usdcContracts } from '../../../../../../src/platform/core/caip2.ts'
import type { Json } from '../../../../../support/api/manifests.ts'
import { facilitatorWith, poolWith } from '../builders.ts'

const valid = StrKey.encodeContract(Buffer.alloc(32, 7))
/** As admission accepts it: the right letters, and a checksum that no contract has. */
const wrong = `C${'A'.repeat(55)}`

const blockerWith = (spec: Json, rpcUrl = 'https://rpc.example') =>
  specBlockerOf({
    facilitator: facilitatorWith(spec),
    pools: new Map([['testnet', poolWith({ rpc: { urls: [rpcUrl] } })]]),
  })
const blockerOfNetwork = (network: Json) =>
  blockerWith({ networks: [{ channelPool: 'testnet', ...network }] })

const asset = (contract: string) => ({ contract, symbol: 'USDC', decimals: 7 })

describe('a contract whose checksum is wrong does not reach a pod', () => {
  test.each([
    { field: 'assets', network: (contract: string) => ({ assets: [asset(contract)] }) },
    { field: 'upto.contract', network: (contract: string) => ({ upto: { contract } }) },
    {
      field: 'watchedContracts',
      network: (contract: string) => ({ watchedContracts: [{ alias: 'a', contract }] }),
    },
    { field: 'watchedAssets', network: (contract: string) => ({ watchedAssets: [contract] }) },
    {
      field: 'otherUptoContracts',
      network: (contract: string) => ({ otherUptoContracts: [contract] }),
    },
  ])('$field', ({ field, network }) => {
    expect(blockerOfNetwork(network(valid))).toBeUndefined()
    expect(blockerOfNetwork(network(wrong))).toEqual({
      reason: 'AddressInvalid',
      message: `spec.networks[testnet].${field} has ${wrong}, whose checksum is wrong: copy the address of the contract again.`,
    })
  })

  test('those of the network and All are right', () => {
    const usdc = asset(usdcContracts['stellar:testnet'])
    expect(blockerOfNetwork({ assets: [usdc], watchedAssets: ['All'] })).toBeUndefined()
  })
})

/** N4: the message repeats nothing of a URL, which may hold a key. */
describe('a URL that admission accepts and no program can read is named', () => {
  const unreadable = 'https://1.2.3.999'

  test.each([
    { at: 'spec.explorer.registry[0]', spec: { explorer: { registry: [unreadable] } } },
    { at: 'spec.tracing.endpoint', spec: { tracing: { endpoint: unreadable } } },
    {
      at: 'spec.catalog.embeddings.url',
      spec: { catalog: { embeddings: { url: unreadable, model: 'm' } } },
    },
  ])('$at', ({ at, spec }) => {
    const message = `${at} cannot be read as a URL: correct its host or port.`
    expect(blockerWith(spec)).toEqual({ reason: 'UrlInvalid', message })
  })

  test('of a pool', () => {
    expect(blockerWith({}, unreadable)?.message).toContain(
      'spec.rpc.urls[0] of ChannelPool testnet',
    )
  })
})
