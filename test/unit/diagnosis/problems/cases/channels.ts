import { account, type Changes, channel, facts, ledger, NOW, stored } from '../../facts.ts'
import type { ProblemCase } from '../case.ts'

const pool = 'shop/testnet'
const waitedInVain = (managed: { readonly pool?: string }): Changes => {
  const { value } = facts().hour
  const counts = { repeat: 0, lease_timeout: 3, sequence_conflict: 0 }
  return { stored: stored({ ...(value && { hour: { ...value, counts } }), ...managed }) }
}
const none = ledger({ channels: new Map() })
const manual = { autoProvisionChannels: false }
const unsponsored = ledger({
  channels: new Map([['C0', account({ address: 'C0', sponsored: 0 })]]),
})
const both = [channel(0), channel(0, { sponsor: 'GOLD' }), channel(1, { sponsor: 'GOLD' })]
const half = ledger({ channels: new Map([['C0', account({ address: 'C0' })]]) })
/** Two of the three accounts that the store knows; a pod expects as many channels as it has by default. */
const oneGone: Changes = {
  ledger: ledger({ derived: ['C0', 'C1', 'C2'] }),
  stored: stored({ pool, channels: [channel(0), channel(1), channel(2)] }),
}

export const channelCases: readonly ProblemCase[] = [
  {
    finds: 'channels-none',
    when: 'a person has to create them',
    given: { ledger: none, ...manual },
    says: /^problem: the sponsor has no channel: no payment can be settled -> svc provision, or where an operator manages the channels raise spec.channels of the ChannelPool$/,
  },
  {
    finds: 'channels-none',
    when: 'the service creates them when it starts',
    given: { ledger: none },
    says: /-> svc provision, or start or restart the service$/,
  },
  {
    finds: 'channels-none',
    when: 'an operator manages them',
    given: { ledger: none, stored: stored({ pool, channels: [] }) },
    says: /-> raise spec.channels of ChannelPool shop\/testnet; if it is not 0, its conditions/,
  },
  {
    finds: 'channels-none',
    when: 'the store cannot say who manages them',
    given: { ledger: none, ...manual, stored: { ok: false, why: 'the store is down' } },
    health: ['settlement_ledger_unreadable'],
    says: /raise spec.channels of the ChannelPool$/,
  },
  {
    finds: 'channels-missing',
    when: 'there are fewer than configured',
    given: { ledger: half, ...manual },
    says: /^warning: 1 of 2 are on the ledger -> svc provision, or where an operator/,
  },
  {
    finds: { nothingIn: 'channels' },
    when: 'the pool has another size than a pod expects',
    given: { ledger: half, stored: stored({ pool, channels: [channel(0)] }) },
    says: /^ok: 1 are on the ledger, managed by ChannelPool shop\/testnet$/,
  },
  {
    finds: 'channels-of-another-seed',
    when: 'the store has another account than the seed derives',
    given: { stored: stored({ channels: [channel(0, { account: 'CX' })] }) },
    says: /^problem: the store has other accounts than the seed derives: channel 0/,
  },
  {
    finds: 'channels-not-sponsored',
    when: 'the sponsor does not pay for an account',
    given: { ledger: unsponsored },
    says: /^warning: the sponsor does not pay the reserve of C0 -> .*svc provision, recreates it$/,
  },
  {
    finds: 'channels-not-sponsored',
    when: 'the sponsor does not pay for an account of a pool',
    given: { ledger: unsponsored, stored: stored({ pool, channels: [channel(0)] }) },
    says: /-> another account created it: payments go on; to recreate it, lower spec.channels/,
  },
  {
    finds: 'channels-gone',
    when: 'the ledger lacks one that the store would use',
    given: { ledger: half },
    says: /^problem: active in the store, but not on the ledger: 1 -> svc provision$/,
  },
  {
    finds: 'channels-gone',
    when: 'the ledger lacks one of a pool',
    given: oneGone,
    says: /-> the operator of ChannelPool shop\/testnet corrects it/,
  },
  {
    finds: 'channels-inactive',
    when: 'one is drained',
    given: { stored: stored({ channels: [channel(0), channel(1, { state: 'draining' })] }) },
    says: /^warning: draining: 1 -> svc provision/,
  },
  {
    finds: { nothingIn: 'channel-states' },
    when: 'a pool drains one',
    given: {
      stored: stored({ pool, channels: [channel(0), channel(1, { state: 'draining' })] }),
    },
  },
  {
    finds: 'channels-unknown',
    when: 'the store does not know one',
    given: { stored: stored({ channels: [channel(0)] }) },
    says: /^warning: the store does not know 1 channel -> svc provision/,
  },
  {
    finds: 'channels-too-few',
    when: 'settlements waited for one in vain',
    given: waitedInVain({}),
    says: /^warning: 3 settlements of the last hour got no channel in time -> raise CHANNEL_COUNT, then svc provision, or/,
  },
  {
    finds: 'channels-too-few',
    when: 'settlements waited in vain for one of a pool',
    given: waitedInVain({ pool }),
    says: /-> raise spec.channels of ChannelPool shop\/testnet, or its spec.autoscale.max; /,
  },
  {
    finds: 'channel-sequences-differ',
    when: 'an idle one has another sequence number',
    given: { stored: stored({ channels: [channel(0, { sequence: 9n }), channel(1)] }) },
    says: /^warning: differ from those on the ledger: channel 0 -> svc provision: the service/,
  },
  {
    finds: 'channel-sequences-differ',
    when: 'an idle one of a pool has another one',
    given: { stored: stored({ pool, channels: [channel(0, { sequence: 9n })] }) },
    says: /-> the operator of ChannelPool shop\/testnet corrects it/,
  },
  {
    finds: { nothingIn: 'channel-sequences' },
    when: 'they are, or recently were, in use',
    given: {
      stored: stored({
        channels: [
          channel(0, { sequence: 9n, isLeased: true }),
          channel(1, { sequence: 9n, lastUsedAt: new Date(NOW - 1_000) }),
        ],
      }),
    },
  },
  {
    finds: 'other-sponsor-not-retired',
    when: 'neither a replica nor a pool uses those of another sponsor',
    given: { stored: stored({ channels: both }) },
    says: /^warning: 2 channels of GOLD, not retired -> svc retire/,
  },
  {
    finds: { nothingIn: 'other-sponsors' },
    when: 'they are in use, as during a rotation',
    given: { stored: stored({ channels: both, inUse: new Set(['GSPONSOR', 'GOLD']) }) },
    says: /^ok: 2 channels of GOLD, which replicas or a ChannelPool use$/,
  },
  {
    finds: 'channels-not-leasable',
    when: 'the database has none that the ledger has',
    given: { stored: stored({ channels: [channel(0, { state: 'retired' })] }) },
    says: /^problem: the database has no channel of sponsor GSPONSOR .* -> wait until the ChannelPool of stellar:testnet is Ready/,
  },
  {
    finds: 'channels-not-leasable',
    when: 'the database has those of another sponsor',
    given: { stored: stored({ channels: [channel(0, { sponsor: 'GOLD' })] }) },
    says: /-> it has those of another sponsor: put its seed back/,
  },
]
