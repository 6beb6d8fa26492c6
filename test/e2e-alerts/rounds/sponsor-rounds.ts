import { Keypair } from '@stellar/stellar-sdk'
import { expect, vi } from 'vitest'
import { poolManifest } from '../../support/api/manifests.ts'
import { rewrite } from '../../support/ledger-surgery.ts'
import { accountEntry, accountKey } from '../../support/ledger-view.ts'
import { type AlertWorld, CHANNELS } from '../support/alert-world.ts'
import type { Round } from '../support/round.ts'
import { ofFacilitator, ofNetwork, ofPool, ofRotation } from './labels.ts'

const XLM = 10_000_000n
const patience = { timeout: 120_000, interval: 500 }
const spare = Keypair.random()

/** Sets the balance of the sponsor, as a transfer that somebody with its seed makes. */
const setBalance = ({ localnet, sponsor }: AlertWorld, balance: bigint): void =>
  rewrite(localnet.network, accountKey(sponsor.address), (data) => {
    if (data.type === 'account') Object.assign(data.account, { balance })
  })

const balanceOf = ({ localnet, sponsor }: AlertWorld): bigint =>
  accountEntry(localnet.network, sponsor.address).balance

const setRpc = async ({ kubectl }: AlertWorld, url: string): Promise<void> => {
  const patch = JSON.stringify({ spec: { rpc: { urls: [url] } } })
  await kubectl('patch', 'channelpool/spare', '--type=merge', `--patch=${patch}`)
}

const nameSponsor = async ({ kubectl }: AlertWorld, name: string): Promise<void> => {
  const patch = JSON.stringify({ spec: { sponsor: { secretRef: { name } } } })
  await kubectl('patch', 'channelpool/spare', '--type=merge', `--patch=${patch}`)
}

let before = 0n
let draining: NodeJS.Timeout | undefined

export const sponsorRounds: readonly Round[] = [
  {
    fault: 'a new pool has a sponsor without an account',
    alerts: { X402ObjectNotReady: ofPool('spare'), X402PoolNotFunded: ofPool('spare') },
    make: async ({ world }) => {
      const secret = { secret: spare.secret() }
      const metadata = { name: 'spare-sponsor', labels: { 'x402.svc.dev/watch': 'true' } }
      await world.apply(
        { apiVersion: 'v1', kind: 'Secret', metadata, stringData: secret },
        poolManifest(
          {
            rpc: { urls: [world.operatorRpc.url] },
            channels: 1,
            sponsor: { secretRef: { name: 'spare-sponsor' } },
            deletionPolicy: 'Retire',
          },
          { name: 'spare' },
        ),
      )
    },
    check: async ({ world }) => {
      const text = await world.kubectl('describe', 'channelpool/spare')
      expect(text).toContain(spare.publicKey())
    },
    repair: async ({ world }) => {
      await world.localnet.pay({ address: spare.publicKey(), asset: 'XLM', amount: 100n * XLM })
    },
  },
  {
    fault: 'a pool shall have more channels than its sponsor can pay for',
    alerts: { X402ObjectDegraded: ofPool('spare') },
    make: async ({ world }) => {
      await world.kubectl('scale', 'channelpool/spare', '--replicas=200')
    },
    check: async ({ world }) => {
      expect(await world.kubectl('describe', 'channelpool/spare')).toContain('SponsorShort')
      await world.kubectl('events', '--for', 'channelpool/spare')
    },
    repair: async ({ world }) => {
      await world.kubectl('scale', 'channelpool/spare', '--replicas=1')
    },
  },
  {
    fault: 'a pool shall move to a sponsor without an account',
    alerts: {
      X402RotationStuck: ofRotation('spare', 'Checking'),
      X402ObjectDegraded: ofPool('spare'),
    },
    make: async ({ world }) => {
      const metadata = { name: 'next-sponsor', labels: { 'x402.svc.dev/watch': 'true' } }
      const stringData = { secret: Keypair.random().secret() }
      await world.apply({ apiVersion: 'v1', kind: 'Secret', metadata, stringData })
      await nameSponsor(world, 'next-sponsor')
    },
    check: async ({ world }) => {
      const path = '{.status.rotation}'
      const shown = await world.kubectl('get', 'channelpool/spare', '-o', `jsonpath=${path}`)
      expect(shown).toContain('send it XLM first')
      await world.kubectl('events', '--for', 'channelpool/spare')
    },
    repair: async ({ world }) => nameSponsor(world, 'spare-sponsor'),
  },
  {
    fault: 'the deletion of a pool waits for an RPC that refuses connections',
    alerts: { X402DeletionStuck: ofPool('spare') },
    make: async ({ world }) => {
      await setRpc(world, 'http://127.0.0.1:1')
      await world.kubectl('delete', 'channelpool/spare', '--wait=false')
    },
    check: async ({ world }) => {
      expect(await world.kubectl('get', 'channelpool/spare', '-o', 'yaml')).toContain('deletion:')
    },
    repair: async ({ world }) => {
      await world.kubectl('annotate', 'channelpool/spare', 'x402.svc.dev/skip-cleanup=true')
    },
  },
  {
    fault: 'the balance of the sponsor falls steadily',
    alerts: { X402SponsorBalanceLow: ofNetwork },
    make: async ({ world }) => {
      before = balanceOf(world)
      draining = setInterval(() => {
        // A dry sponsor is another alert.
        const left = balanceOf(world) - 2n * XLM
        if (left > 60n * XLM) setBalance(world, left)
      }, 1_000)
    },
    repair: async ({ world }) => {
      clearInterval(draining)
      setBalance(world, before + 1_000n * XLM)
    },
  },
  {
    fault: 'the sponsor has nothing left to spend',
    alerts: {
      X402SponsorDry: ofNetwork,
      X402PoolNotFunded: ofPool('testnet'),
      X402SettlementsFailing: { ...ofNetwork, reason: 'settle_exact_stellar_sponsor_unavailable' },
    },
    make: async ({ world }) => {
      before = balanceOf(world)
      setBalance(world, 6n * XLM)
    },
    check: async ({ world }) => {
      const { out } = await world.facilitator.exec('doctor')
      expect(out).toContain('sponsor-balance')
      const path = '{.status.sponsor.address}'
      const shown = await world.kubectl('get', 'channelpool/testnet', '-o', `jsonpath=${path}`)
      expect(shown).toBe(world.sponsor.address)
    },
    repair: async ({ world }) => setBalance(world, before),
  },
  {
    fault: 'the pool has one channel for twice as many payments as it can settle',
    alerts: { X402ChannelsExhausted: ofNetwork },
    make: async ({ world }) => {
      await world.kubectl('scale', 'channelpool/testnet', '--replicas=1')
    },
    check: async ({ world }) => {
      expect((await world.facilitator.exec('status')).out).toContain('channels')
      expect(await world.kubectl('get', 'channelpools', '-o', 'wide')).toContain('IN USE')
      const { out } = await world.facilitator.exec('settlements', 'list', '--only', 'all')
      expect(out).not.toBe('')
    },
    repair: async ({ world }) => {
      await world.kubectl('scale', 'channelpool/testnet', `--replicas=${CHANNELS}`)
    },
  },
  {
    fault: 'svc retire has merged every channel and the authority, and the pool is paused',
    alerts: {
      X402NoChannels: ofNetwork,
      X402UptoAuthorityMissing: ofFacilitator,
      X402ObjectPaused: ofPool('testnet'),
    },
    make: async ({ world, traffic }) => {
      await world.kubectl('annotate', 'channelpool/testnet', 'x402.svc.dev/paused=true')
      await vi.waitFor(
        async () =>
          expect(await world.condition('channelpools', 'testnet', 'Progressing')).toMatchObject({
            reason: 'Paused',
          }),
        patience,
      )
      await traffic.stop()
      // Refused while a settlement is under way or a channel is leased.
      await vi.waitFor(async () => {
        const { code, err, out } = await world.facilitator.exec('retire', '--force', '--yes')
        expect(code, err + out).toBe(0)
      }, patience)
    },
    check: async ({ world }) => {
      expect((await world.facilitator.exec('status')).out).toContain('"onLedger":0')
    },
    repair: async ({ world, traffic }) => {
      await world.kubectl('annotate', 'channelpool/testnet', 'x402.svc.dev/paused-')
      traffic.resume()
    },
  },
]
