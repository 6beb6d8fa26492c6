import { describe, expect, test } from 'vitest'
import type { ChannelPool } from '../../../../../../src/kubernetes/crd/channel-pool.ts'
import { beginning } from '../../../../../../src/kubernetes/operator/channel-pool/rotation/begin.ts'
import { channelSecretOf } from '../../../../../../src/kubernetes/operator/references/sponsor-source.ts'
import { KubeError } from '../../../../../../src/kubernetes/runtime/client/kube-error.ts'
import type { KubeObject } from '../../../../../../src/kubernetes/runtime/objects/resource.ts'
import { systemClock } from '../../../../../../src/platform/core/time/clock.ts'
import { sponsors } from '../../../../../support/api/sponsors.ts'
import { addressA, addressB, NOW, poolNaming, sourceA } from './rotations.ts'

const { signal } = new AbortController()
const ofSigner = (address: string) => ({ address, pkcs11: sponsors.pkcs11.pkcs11 })

/** What the spec asks for, and which Secrets were read to be freed. */
async function begun(
  from: Parameters<typeof poolNaming>[0],
  to: Parameters<typeof poolNaming>[0],
  accounts: number,
) {
  const status = {
    sponsor: { address: addressA, source: from },
    channels: { wanted: 8, ready: 8, inUse: 0, draining: 0, quarantined: 0, accounts },
  }
  const freed: string[] = []
  const client = Object({
    get: async (_: unknown, { name }: { name: string }) => {
      freed.push(name)
      throw new KubeError({ kind: 'notFound', message: name, status: 404 })
    },
  })
  const change = await beginning(
    poolNaming(to, { status }) as ChannelPool & KubeObject,
    {
      client,
      addressOf: async () => to.address ?? addressA,
      clock: { ...systemClock, now: () => NOW },
    },
    signal,
  )
  return { change, freed }
}

describe('another place of the key', () => {
  test('counts at once where the keys of the channels stay, whose Secret stays held', async () => {
    const vault = { address: addressA, vault: sponsors.vault.vault }
    const { change, freed } = await begun(ofSigner(addressA), vault, 8)
    expect(change?.status.sponsor).toEqual({ address: addressA, source: vault })
    expect(change?.status.rotation).toBeUndefined()
    expect(freed).toEqual([])
  })

  test('is refused while channels would get other keys', async () => {
    await expect(begun(sourceA, ofSigner(addressA), 8)).rejects.toMatchObject({
      reason: 'SponsorChanged',
    })
  })

  test('counts at once for a pool without channels, which frees their Secret', async () => {
    const { change, freed } = await begun(ofSigner(addressA), sourceA, 0)
    expect(change?.status.sponsor?.source).toEqual(sourceA)
    const name = channelSecretOf({ metadata: { name: 'testnet' } }, { address: addressA })?.name
    expect(freed).toEqual([name])
  })

  test('begins a rotation for another address', async () => {
    const { change } = await begun(sourceA, ofSigner(addressB), 8)
    expect(change?.status.rotation).toMatchObject({
      phase: 'Checking',
      to: { address: addressB, source: ofSigner(addressB) },
    })
  })
})
