import { describe, expect, test } from 'vitest'
import {
  channelSecretOf,
  keySecretOf,
  type SponsorSource,
  sameSponsorSource,
  secretNamesOf,
  signerFiles,
  sponsorSourceId,
} from '../../../../../src/kubernetes/operator/references/sponsor-source.ts'
import { SPONSOR_ADDRESS as address, sponsors } from '../../../../support/api/sponsors.ts'

const pool = (name = 'testnet') => ({ metadata: { name } })
const all: readonly SponsorSource[] = Object.values(sponsors)

describe('a source of a sponsor', () => {
  test('is the same with its fields in another order, and another one with any other value', () => {
    const { pkcs11 } = sponsors.pkcs11
    const turned = {
      pkcs11: { ...Object.fromEntries(Object.entries(pkcs11).toReversed()) },
      address,
    }
    expect(sameSponsorSource(turned as SponsorSource, sponsors.pkcs11)).toBe(true)
    const other = { address, pkcs11: { ...pkcs11, key: 'other' } }
    expect(sameSponsorSource(other, sponsors.pkcs11)).toBe(false)
    expect(new Set(all.map(sponsorSourceId)).size).toBe(all.length)
  })

  test('is the same with a field that is undefined', () => {
    const { secretRef } = sponsors.secretRef
    expect(sameSponsorSource({ secretRef, address: undefined }, { secretRef })).toBe(true)
  })

  test('names the Secrets with what signs', () => {
    expect(all.map(secretNamesOf)).toEqual([
      ['testnet-sponsor'],
      ['hsm'],
      ['vault-ca'],
      ['signer-ca', 'signer-client'],
      [],
    ])
    expect(signerFiles(sponsors.http).map(({ ref }) => ref.key)).toEqual([
      'ca.crt',
      'tls.crt',
      'tls.key',
    ])
  })
})

describe('the Secret of the channels', () => {
  test('has a name of the pool and the address, whatever signs', () => {
    const names = all.map((source) => channelSecretOf(pool(), source)?.name)
    expect(names[0]).toBeUndefined()
    expect(new Set(names.slice(1)).size).toBe(1)
    expect(names[1]).toMatch(/^testnet-channels-[0-9a-f]{8}$/)
  })

  test('is another one for another pool, and for another address', () => {
    const { name } = keySecretOf(pool(), sponsors.vault)
    expect(keySecretOf(pool('other'), sponsors.vault).name).not.toBe(name)
    const other = { ...sponsors.vault, address: `G${'A'.repeat(55)}` }
    expect(keySecretOf(pool(), other).name).not.toBe(name)
  })

  test('has a name that fits, of the longest pool', () => {
    const { name } = keySecretOf(pool('p'.repeat(63)), sponsors.vault)
    expect(name.length).toBeLessThanOrEqual(63)
    expect(name).toMatch(/-channels-[0-9a-f]{8}$/)
  })

  test('is the one of the seed where a Secret holds it', () => {
    expect(keySecretOf(pool(), sponsors.secretRef)).toEqual(sponsors.secretRef.secretRef)
  })
})
