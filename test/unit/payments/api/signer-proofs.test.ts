import { expect, test } from 'vitest'
import { provenSigners } from '../../../../src/explorer/registry/facilitators/read-proofs.ts'
import { signerProofs } from '../../../../src/payments/api/signer-proofs.ts'
import { randomSigner, type Signer } from '../../../../src/stellar/accounts/signer.ts'
import { proveSigner } from '../../../../src/stellar/accounts/signer-proof.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

const network = 'stellar:testnet'
const baseUrl = 'https://payer.example'
const HOUR_MS = 3_600_000

function openProofs(publicUrl: string | undefined = baseUrl) {
  const clock = new FakeClock()
  const sponsor = randomSigner()
  const channels: Signer[] = [randomSigner(), randomSigner()]
  const served = {
    id: network,
    sponsor,
    channels: {
      get addresses() {
        return channels.map(({ address }) => address)
      },
      ownSigners: (most: number) => channels.slice(0, most),
    },
  }
  const proofs = signerProofs({ networks: () => [served as never], publicUrl, clock })
  const named = () => [sponsor, ...channels].map(({ address }) => ({ network, address }) as const)
  const proven = async (at = baseUrl) =>
    provenSigners(Buffer.from(JSON.stringify(await proofs())), {
      named: named(),
      baseUrl: at,
      now: clock.now(),
    }).map(({ provenUntil: _, ...key }) => key)
  return { clock, channels, named, proven, proofs }
}

test('an explorer takes the proofs of sponsor and channels for the configured address, and for no other', async () => {
  const { named, proven } = openProofs()
  expect(await proven()).toEqual(named())
  expect(await proven('https://thief.example')).toEqual([])
})

test('the proofs are renewed long before they expire, and when there is a new channel', async () => {
  const { clock, channels, named, proven, proofs } = openProofs()
  const first = await proofs()
  expect(await proofs()).toBe(first)
  await clock.advance(25 * HOUR_MS)
  expect(await proven()).toEqual(named())
  channels.push(randomSigner())
  expect(await proven()).toEqual(named())
})

test('nothing is proven without a configured address, whatever a request says', async () => {
  const clock = new FakeClock()
  const proofs = signerProofs({ networks: () => [], publicUrl: undefined, clock })
  expect(await proofs()).toEqual({ proofs: [] })
})

test('a signer is proven until the last of its proofs ends', async () => {
  const signer = randomSigner()
  const ends = [3, 5, 4, -1].map((hours) => new Date(hours * HOUR_MS).toISOString())
  const proofs = await Promise.all(
    ends.map((expiresAt) => proveSigner(signer, { baseUrl, network, expiresAt })),
  )
  const named = [{ network, address: signer.address }] as const
  const body = Buffer.from(JSON.stringify({ proofs }))
  expect(provenSigners(body, { named, baseUrl, now: 0 })).toEqual([
    { network, address: signer.address, provenUntil: new Date(5 * HOUR_MS) },
  ])
})

test('names of no proof and other JSON prove nothing', () => {
  const named = [{ network, address: randomSigner().address }] as const
  for (const body of ['', '[]', '{"proofs":{}}', '{"proofs":[1,{"network":"stellar:testnet"}]}']) {
    expect(provenSigners(Buffer.from(body), { named, baseUrl, now: 0 })).toEqual([])
  }
})
