/** Whether seed, store and ledger agree about the channels. */
import type { Channel } from '../../payments/store/channels/channel.ts'
import { countOf } from '../../platform/core/text/count-of.ts'
import type { DoctorFacts, LedgerFacts, StoredFacts } from '../facts/doctor-facts.ts'
import type { ChannelCreator } from '../facts/facts.ts'
import { both, networkCheck } from './check.ts'
import type { Problem, ReadProblem } from './problem.ts'
import { someOf } from './words.ts'

/**
 * Sequence numbers are compared only of channels that were idle for this long: a payment may fall
 * between reading the ledger and reading the store.
 */
const IDLE_MS = 60_000

const PROVISION = 'svc provision'
const AGAIN = 'run the command again'

/** The advice for more channels. A person who creates some beside an operator only makes strays. */
function createMore(creator: ChannelCreator | undefined): string {
  // A service that runs creates none either: it does so only when it starts.
  if (creator === 'service') return `${PROVISION}, or start or restart the service`
  if (creator === 'administrator' || creator === undefined) {
    return `${PROVISION}, or where an operator manages the channels raise spec.channels of the ChannelPool`
  }
  return `raise spec.channels of ChannelPool ${creator.pool}; if it is not 0, its conditions say what stops the operator`
}

/** The advice that makes store and ledger agree again. */
const repair = ({ pool }: StoredFacts): string =>
  pool === undefined
    ? PROVISION
    : `the operator of ChannelPool ${pool} corrects it: its conditions say what stops it`

const noChannel: Problem = {
  name: 'channels-none',
  ready: 'channels',
  stopsSettling: true,
  doctor: 'problem',
  find: ({ channels: { total, creator } }) =>
    total === 0
      ? {
          says: 'the sponsor has no channel: no payment can be settled',
          todo: createMore(creator),
        }
      : undefined,
}

const tooFew: Problem = {
  name: 'channels-too-few',
  doctor: 'warning',
  find: ({ hour, channels: { creator } }) => {
    const refused = hour.value?.counts.lease_timeout ?? 0
    if (refused === 0) return undefined
    const raise =
      typeof creator === 'object'
        ? `raise spec.channels of ChannelPool ${creator.pool}, or its spec.autoscale.max`
        : `raise CHANNEL_COUNT, then ${createMore(creator)}`
    return {
      says: `${countOf(refused, 'settlement')} of the last hour got no channel in time`,
      todo: `${raise}; if most channels are free, see what slows settlements: rpc-latency and settlements`,
    }
  },
}

type Both = readonly [LedgerFacts, StoredFacts]
const readBoth = ({ read }: DoctorFacts) => both(read.ledger, read.stored)

const ofSponsor = (
  [, { channels }]: Both,
  { sponsor: { address } }: DoctorFacts,
): readonly Channel[] => channels.filter(({ sponsor }) => sponsor === address)

const activeOf = (read: Both, facts: DoctorFacts): readonly Channel[] =>
  ofSponsor(read, facts).filter(({ state }) => state === 'active')

const indices = (channels: readonly { readonly index: number }[]): string =>
  someOf(channels.map(({ index }) => String(index)))

const configured = ({ derived, channels }: LedgerFacts, { network }: DoctorFacts): number =>
  derived.slice(0, network.channelCount).filter((address) => channels.has(address)).length

const found = (read: LedgerFacts, facts: DoctorFacts): string =>
  `${configured(read, facts)} of ${facts.network.channelCount} are on the ledger`

const keyProblems: readonly ReadProblem<Both, DoctorFacts>[] = [
  {
    name: 'channels-of-another-seed',
    doctor: 'problem',
    findIn: (read, facts) => {
      const [{ derived }] = read
      const foreign = ofSponsor(read, facts).filter(
        ({ index, account }) => derived[index] !== account,
      )
      if (foreign.length === 0) return undefined
      return {
        says: `the store has other accounts than the seed derives: channel ${indices(foreign)}`,
        todo: 'configure the seed that this database was used with, or another database',
      }
    },
  },
  {
    name: 'channels-not-sponsored',
    doctor: 'warning',
    findIn: ([{ channels }, { pool }]) => {
      const unsponsored = [...channels.values()].filter(({ sponsored }) => sponsored === 0)
      if (unsponsored.length === 0) return undefined
      const recreate =
        pool === undefined
          ? 'svc retire, then svc provision, recreates it'
          : 'payments go on; to recreate it, lower spec.channels of the ChannelPool below its index, and raise it again'
      return {
        says: `the sponsor does not pay the reserve of ${someOf(unsponsored.map(({ address }) => address))}`,
        todo: `another account created it: ${recreate}`,
      }
    },
  },
]

/** Limits a problem to sponsors without a pool: the operator drains, retires and creates the channels of a pool. */
const unmanaged =
  (findIn: ReadProblem<Both, DoctorFacts>['findIn']): ReadProblem<Both, DoctorFacts>['findIn'] =>
  (read, facts) =>
    read[1].pool === undefined ? findIn(read, facts) : undefined

const wanted = (read: Both, facts: DoctorFacts): readonly Channel[] =>
  ofSponsor(read, facts).filter(({ index }) => index < facts.network.channelCount)

const stateProblems: readonly ReadProblem<Both, DoctorFacts>[] = [
  {
    name: 'channels-gone',
    doctor: 'problem',
    findIn: (read, facts) => {
      const [{ channels }, stored] = read
      const gone = activeOf(read, facts).filter(({ account }) => !channels.has(account))
      if (gone.length === 0) return undefined
      return {
        says: `active in the store, but not on the ledger: ${indices(gone)}`,
        todo: repair(stored),
      }
    },
  },
  {
    name: 'channels-inactive',
    doctor: 'warning',
    findIn: unmanaged((read, facts) => {
      const inactive = wanted(read, facts).filter(({ state }) => state !== 'active')
      if (inactive.length === 0) return undefined
      const states = [...new Set(inactive.map(({ state }) => state))].join(' or ')
      return { says: `${states}: ${indices(inactive)}`, todo: PROVISION }
    }),
  },
  {
    name: 'channels-unknown',
    doctor: 'warning',
    findIn: unmanaged((read, facts) => {
      const unknown = facts.network.channelCount - wanted(read, facts).length
      if (unknown <= 0) return undefined
      return { says: `the store does not know ${countOf(unknown, 'channel')}`, todo: PROVISION }
    }),
  },
]

function isWrong(
  { account, sequence, isLeased, lastUsedAt }: Channel,
  [{ channels }, { readAt }]: Both,
): boolean {
  const onLedger = channels.get(account)?.sequence
  const isIdle = !isLeased && readAt - (lastUsedAt?.getTime() ?? 0) > IDLE_MS
  return isIdle && sequence !== undefined && onLedger !== undefined && sequence !== onLedger
}

const countedBySponsor = (channels: readonly Channel[]): string =>
  `${countOf(channels.length, 'channel')} of ${someOf([...new Set(channels.map(({ sponsor }) => sponsor))], 2)}`

/** Channels of other sponsors that are not retired. */
const remaining = ({ channels }: StoredFacts, { sponsor: { address } }: DoctorFacts) =>
  channels.filter(({ sponsor, state }) => sponsor !== address && state !== 'retired')

const leasable = (read: Both, facts: DoctorFacts): readonly Channel[] =>
  activeOf(read, facts).filter(({ account }) => read[0].channels.has(account))

export const channelChecks = [
  networkCheck({
    name: 'channels',
    needs: ['sponsor'],
    read: ({ read }) => read.ledger,
    problems: [
      noChannel,
      {
        name: 'channels-missing',
        doctor: 'warning',
        // Only a pool knows how many channels it should have.
        findIn: (read, facts) => {
          const { creator } = facts.channels
          const isManaged = typeof creator === 'object'
          return isManaged || configured(read, facts) === facts.network.channelCount
            ? undefined
            : { says: found(read, facts), todo: createMore(creator) }
        },
      },
    ],
    ok: (read, facts) => {
      const { total, creator } = facts.channels
      return typeof creator === 'object'
        ? `${total} are on the ledger, managed by ChannelPool ${creator.pool}`
        : found(read, facts)
    },
  }),
  networkCheck({
    name: 'channel-keys',
    needs: ['schema', 'sponsor'],
    read: readBoth,
    again: AGAIN,
    problems: keyProblems,
    ok: () => 'derived from the seed, reserves paid by the sponsor',
  }),
  networkCheck({
    name: 'channel-states',
    needs: ['schema', 'channels'],
    read: readBoth,
    again: AGAIN,
    problems: [...stateProblems, tooFew],
    ok: (read, facts) => {
      const active = activeOf(read, facts)
      const leased = active.filter(({ isLeased }) => isLeased).length
      return `${active.length} active, ${leased} in use`
    },
  }),
  networkCheck({
    name: 'channel-sequences',
    needs: ['channel-states'],
    read: readBoth,
    again: AGAIN,
    problems: [
      {
        name: 'channel-sequences-differ',
        doctor: 'warning',
        findIn: (read, facts) => {
          const wrong = ofSponsor(read, facts).filter((channel) => isWrong(channel, read))
          if (wrong.length === 0) return undefined
          const [, stored] = read
          const then =
            stored.pool === undefined ? ': the service then reads them from the ledger' : ''
          return {
            says: `differ from those on the ledger: channel ${indices(wrong)}`,
            todo: `${repair(stored)}${then}`,
          }
        },
      },
    ],
    ok: () => 'equal to those on the ledger',
  }),
  networkCheck({
    name: 'other-sponsors',
    needs: ['schema'],
    read: ({ read }) => read.stored,
    again: AGAIN,
    problems: [
      {
        name: 'other-sponsor-not-retired',
        doctor: 'warning',
        findIn: (stored, facts) => {
          const unused = remaining(stored, facts).filter(
            ({ sponsor }) => !stored.inUse.has(sponsor),
          )
          if (unused.length === 0) return undefined
          return {
            says: `${countedBySponsor(unused)}, not retired`,
            todo: 'svc retire with the seed of that sponsor returns its reserves; a rotation that was interrupted goes on with svc rotate',
          }
        },
      },
    ],
    ok: (stored, facts) => {
      const others = remaining(stored, facts)
      return others.length === 0
        ? 'no other sponsor has channels'
        : `${countedBySponsor(others)}, which replicas or a ChannelPool use`
    },
  }),
]

/** The command does not know how many channels there should be: one suffices. */
export const leasableChannels = networkCheck({
  name: 'leasable-channels',
  needs: ['schema', 'sponsor'],
  by: ['preflight'],
  read: readBoth,
  again: AGAIN,
  problems: [
    {
      name: 'channels-not-leasable',
      doctor: 'problem',
      findIn: (read, facts) => {
        if (leasable(read, facts).length > 0) return undefined
        const isOfOthers = ofSponsor(read, facts).length === 0 && read[1].channels.length > 0
        return {
          says: `the database has no channel of sponsor ${facts.sponsor.address} that a settlement could lease`,
          todo: isOfOthers
            ? 'it has those of another sponsor: put its seed back, or create a ChannelPool with the new seed'
            : `wait until the ChannelPool of ${facts.id} is Ready, or run svc provision`,
        }
      },
    },
  ],
  ok: (read, facts) => countOf(leasable(read, facts).length, 'channel'),
})
