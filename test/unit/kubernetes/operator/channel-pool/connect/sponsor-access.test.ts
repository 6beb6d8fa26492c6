import { expect, test } from 'vitest'
import { SignerFiles } from '../../../../../../src/kubernetes/operator/channel-pool/connect/signer-files.ts'
import { accessSponsor } from '../../../../../../src/kubernetes/operator/channel-pool/connect/sponsor-access.ts'
import type { SponsorSource } from '../../../../../../src/kubernetes/operator/references/sponsor-source.ts'
import { secretOfSeed, signerFromSecret } from '../../../../../../src/stellar/accounts/signer.ts'
import { SPONSOR_ADDRESS as sponsor, sponsors } from '../../../../../support/api/sponsors.ts'

const { signal } = new AbortController()
const seed = secretOfSeed(Buffer.alloc(32, 4))

/** With the Secret of the channels in place. */
async function access(source: SponsorSource, more: object = {}) {
  await using signerFiles = new SignerFiles()
  const request = {
    pool: { metadata: { name: 'testnet', namespace: 'shop', uid: 'pool' } },
    source,
    sponsor,
    signal,
  }
  const values = source.secretRef
    ? ({ kind: 'seed', seed } as const)
    : ({ kind: 'signer', values: new Map<string, string>() } as const)
  const signers = { open: async () => ({ address: sponsor, health: { state: 'works' } }) }
  const deps = {
    secrets: { read: async () => seed },
    client: {} as never,
    signerFiles,
    signers: signers as never,
    ...more,
  }
  return accessSponsor(deps, request as never, values)
}

test('a seed signs for its own channels', async () => {
  expect((await access(sponsors.secretRef)).address).toBe(signerFromSecret(seed).address)
})

test.each([
  ['pkcs11', 'load PKCS#11 libraries of the operator'],
  ['vault', 'use the login of the operator to Vault'],
  ['socket', 'use sockets of the operator'],
] as const)(
  "%s is refused to a namespace that may not use what is the operator's own",
  async (kind, what) => {
    const vaultTokenFile = '/token'
    for (const signerNamespaces of [undefined, ['another']]) {
      await expect(
        access(sponsors[kind], { signerNamespaces, vaultTokenFile }),
      ).rejects.toMatchObject({
        reason: 'SignerDenied',
        message: `Pools of namespace shop may not ${what}: add it to signers.namespaces of its chart, if all pools there may sign with every key that the operator reaches.`,
      })
    }
    const allowed = { signerNamespaces: ['shop'], vaultTokenFile }
    expect((await access(sponsors[kind], allowed)).address).toBe(sponsor)
  },
)

test('a service with a certificate of the namespace is refused to none', async () => {
  expect((await access(sponsors.http)).address).toBe(sponsor)
})

test('a key of Vault needs a token of the operator', async () => {
  await expect(access(sponsors.vault, { signerNamespaces: ['shop'] })).rejects.toMatchObject({
    reason: 'SignerDenied',
    message: expect.stringContaining('signers.vaultTokenAudience'),
  })
})
