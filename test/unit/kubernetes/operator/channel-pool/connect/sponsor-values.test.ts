import { describe, expect, test } from 'vitest'
import { PoolBlocked } from '../../../../../../src/kubernetes/operator/channel-pool/connect/blockers.ts'
import {
  addressOfSponsor,
  readSponsorValues,
} from '../../../../../../src/kubernetes/operator/channel-pool/connect/sponsor-values.ts'
import type { SponsorSource } from '../../../../../../src/kubernetes/operator/references/sponsor-source.ts'
import {
  randomSigner,
  secretOfSeed,
  signerFromSecret,
} from '../../../../../../src/stellar/accounts/signer.ts'
import { SPONSOR_ADDRESS, sponsors } from '../../../../../support/api/sponsors.ts'

const { signal } = new AbortController()
const seed = secretOfSeed(Buffer.alloc(32, 3))

/** The values of these Secrets, and the names of those that were read. */
async function read(source: SponsorSource, secrets: Readonly<Record<string, string>>) {
  const asked: string[] = []
  const reader = {
    read: async ({ name, key }: { name: string; key: string }) => {
      asked.push(`${name}/${key}`)
      return secrets[`${name}/${key}`]
    },
  }
  const values = await readSponsorValues(reader, { namespace: 'shop', source }, signal)
  return { values, asked }
}

const problem = async (work: () => unknown): Promise<object> => {
  try {
    await work()
  } catch (error) {
    if (error instanceof PoolBlocked) return { reason: error.reason, message: error.message }
    throw error
  }
  return {}
}

describe('the values of a sponsor', () => {
  test('are its seed where a Secret holds it', async () => {
    const { values, asked } = await read(sponsors.secretRef, { 'testnet-sponsor/secret': seed })
    expect(values).toEqual({ kind: 'seed', seed })
    expect(asked).toEqual(['testnet-sponsor/secret'])
  })

  test('are else those with which its signer is asked, from no other Secret', async () => {
    const { values, asked } = await read(sponsors.http, {
      'signer-ca/ca.crt': 'CA',
      'signer-client/tls.crt': 'CERT',
      'signer-client/tls.key': 'KEY',
    })
    expect(values).toMatchObject({ kind: 'signer' })
    expect(asked).toEqual(['signer-ca/ca.crt', 'signer-client/tls.crt', 'signer-client/tls.key'])
    expect((await read(sponsors.socket, {})).asked).toEqual([])
  })

  test.each([
    [
      sponsors.secretRef,
      {},
      'SponsorSecretMissing',
      'There is no Secret testnet-sponsor, key secret: create it.',
    ],
    [
      sponsors.pkcs11,
      {},
      'SignerSecretMissing',
      'There is no Secret hsm, key pin, which spec.sponsor.pkcs11.pinSecretRef names, or it is empty: create it.',
    ],
    [
      sponsors.pkcs11,
      { 'hsm/pin': '' },
      'SignerSecretMissing',
      'There is no Secret hsm, key pin, which spec.sponsor.pkcs11.pinSecretRef names, or it is empty: create it.',
    ],
    [
      sponsors.http,
      { 'signer-ca/ca.crt': 'CA' },
      'SignerSecretMissing',
      'There is no Secret signer-client, key tls.crt, which spec.sponsor.http.clientSecretRef names, or it is empty: create it.',
    ],
  ])('of %o are missing', async (source, secrets, reason, message) => {
    expect(await problem(() => read(source, secrets))).toEqual({ reason, message })
  })
})

describe('the address of a sponsor', () => {
  const { address } = signerFromSecret(seed)
  const values = { kind: 'seed', seed } as const

  test('is that of its seed, or of the spec', () => {
    expect(addressOfSponsor(sponsors.secretRef, values)).toBe(address)
    expect(addressOfSponsor({ ...sponsors.secretRef, address }, values)).toBe(address)
    const signer = { kind: 'signer', values: new Map() } as const
    expect(addressOfSponsor(sponsors.vault, signer)).toBe(SPONSOR_ADDRESS)
  })

  test('must be that of its seed where the spec has both', async () => {
    const { address: other } = randomSigner()
    const source = { ...sponsors.secretRef, address: other }
    expect(await problem(() => addressOfSponsor(source, values))).toEqual({
      reason: 'SponsorKeyMismatch',
      message: `spec.sponsor.address is ${other}, but Secret testnet-sponsor holds the seed of ${address}: correct one of them.`,
    })
  })

  test('must have its checksum', async () => {
    const source = { ...sponsors.vault, address: `G${'A'.repeat(55)}` }
    const signer = { kind: 'signer', values: new Map() } as const
    expect(await problem(() => addressOfSponsor(source, signer))).toMatchObject({
      reason: 'SponsorAddressInvalid',
    })
  })
})
