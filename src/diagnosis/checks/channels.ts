/** Whether seed, store and ledger agree about the channels. */
import type { Channel } from '../../payments/store/channels/channel.ts'
import type { LedgerFacts, NetworkFacts, StoredFacts } from '../facts/facts.ts'
import type { CheckName } from './check-names.ts'
import { countOf, type Diagnosis, ok, problem, someOf, warning } from './diagnosis.ts'
import { checkFetched, type DoctorCheck } from './run-checks.ts'

/**
 * Sequence numbers are compared only of channels that were idle for this long: a payment may fall
 * between reading the ledger and reading the store.
 */
const IDLE_MS = 60_000

const PROVISION = 'svc provision'

/** The pool whose operator manages the channels: a person who creates others beside it only makes strays. */
const poolOf = ({ stored }: NetworkFacts): string | undefined =>
  stored?.ok ? stored.value.pool : undefined

const byOperator = (pool: string): string =>
  `the operator of ChannelPool ${pool} corrects it: its conditions say what stops it`

type NetworkCheck = DoctorCheck<CheckName, NetworkFacts>

const withBoth = (
  { ledger, stored }: NetworkFacts,
  check: (ledger: LedgerFacts, stored: StoredFacts) => Diagnosis,
): Diagnosis =>
  checkFetched(ledger, '', (onLedger) =>
    checkFetched(stored, 'run the command again', (inStore) => check(onLedger, inStore)),
  )

const ofSponsor = ({ channels }: StoredFacts, { sponsor }: NetworkFacts): readonly Channel[] =>
  channels.filter((channel) => channel.sponsor === sponsor)

const indices = (channels: readonly { readonly index: number }[]): string =>
  someOf(channels.map(({ index }) => String(index)))

const channels: NetworkCheck = {
  name: 'channels',
  needs: ['sponsor'],
  run: (facts) =>
    checkFetched(facts.ledger, '', ({ derived, channels: found }) => {
      const { channelCount, autoProvisionChannels } = facts.network
      const pool = poolOf(facts)
      if (pool !== undefined) return ofPool(pool, found.size)
      const existing = derived.slice(0, channelCount).filter((address) => found.has(address)).length
      const says = `${existing} of ${channelCount} are on the ledger`
      if (existing === channelCount) return ok(says)
      const todo = autoProvisionChannels
        ? `${PROVISION}, or start or restart the service`
        : `${PROVISION}, or where an operator manages the channels raise spec.channels of the ChannelPool`
      // A service that runs creates none either: it does so only when it starts.
      if (existing === 0) return problem(says, `${todo}: without a channel no payment can be made`)
      return warning(says, todo)
    }),
}

/** Only the pool knows how many channels it should have. */
function ofPool(pool: string, existing: number): Diagnosis {
  if (existing > 0) return ok(`${existing} are on the ledger, managed by ChannelPool ${pool}`)
  return problem(
    'none is on the ledger',
    `raise spec.channels of ChannelPool ${pool}; if it is not 0, its conditions say what stops the operator: without a channel no payment can be made`,
  )
}

const channelKeys: NetworkCheck = {
  name: 'channel-keys',
  needs: ['schema', 'sponsor'],
  run: (facts) =>
    withBoth(facts, ({ derived, channels: found }, stored) => {
      const foreign = ofSponsor(stored, facts).filter(
        ({ index, account }) => derived[index] !== account,
      )
      if (foreign.length > 0) {
        return problem(
          `the store has other accounts than the seed derives: channel ${indices(foreign)}`,
          'configure the seed that this database was used with, or another database',
        )
      }
      const unsponsored = [...found.values()].filter(({ sponsored }) => sponsored === 0)
      if (unsponsored.length === 0) return ok('derived from the seed, reserves paid by the sponsor')
      return warning(
        `the sponsor does not pay the reserve of ${someOf(unsponsored.map(({ address }) => address))}`,
        poolOf(facts) === undefined
          ? 'another account created it: svc retire, then svc provision, recreates it'
          : 'another account created it: payments go on; to recreate it, lower spec.channels of the ChannelPool below its index, and raise it again',
      )
    }),
}

const channelStates: NetworkCheck = {
  name: 'channel-states',
  needs: ['schema', 'channels'],
  run: (facts) =>
    withBoth(facts, ({ channels: found }, stored) => {
      const { pool } = stored
      const todo = pool === undefined ? PROVISION : byOperator(pool)
      const known = ofSponsor(stored, facts)
      const active = known.filter(({ state }) => state === 'active')
      const gone = active.filter(({ account }) => !found.has(account))
      if (gone.length > 0) {
        return problem(`active in the store, but not on the ledger: ${indices(gone)}`, todo)
      }
      const leased = active.filter(({ isLeased }) => isLeased).length
      const says = `${active.length} active, ${leased} in use`
      // The operator drains, retires and creates channels as the pool asks for.
      if (pool !== undefined) return ok(says)
      const configured = known.filter(({ index }) => index < facts.network.channelCount)
      const inactive = configured.filter(({ state }) => state !== 'active')
      if (inactive.length > 0) {
        const states = [...new Set(inactive.map(({ state }) => state))].join(' or ')
        return warning(`${states}: ${indices(inactive)}`, PROVISION)
      }
      const unknown = facts.network.channelCount - configured.length
      if (unknown > 0) {
        return warning(`the store does not know ${countOf(unknown, 'channel')}`, PROVISION)
      }
      return ok(says)
    }),
}

const channelSequences: NetworkCheck = {
  name: 'channel-sequences',
  needs: ['channel-states'],
  run: (facts) =>
    withBoth(facts, ({ channels: found }, stored) => {
      const wrong = ofSponsor(stored, facts).filter((channel) =>
        isWrong(channel, found, stored.readAt),
      )
      if (wrong.length === 0) return ok('equal to those on the ledger')
      return warning(
        `differ from those on the ledger: channel ${indices(wrong)}`,
        stored.pool === undefined
          ? `${PROVISION}: the service then reads them from the ledger`
          : byOperator(stored.pool),
      )
    }),
}

function isWrong(
  { account, sequence, isLeased, lastUsedAt }: Channel,
  found: LedgerFacts['channels'],
  now: number,
): boolean {
  const onLedger = found.get(account)?.sequence
  const isIdle = !isLeased && now - (lastUsedAt?.getTime() ?? 0) > IDLE_MS
  return isIdle && sequence !== undefined && onLedger !== undefined && sequence !== onLedger
}

const otherSponsors: NetworkCheck = {
  name: 'other-sponsors',
  needs: ['schema'],
  run: (facts) =>
    checkFetched(facts.stored, 'run the command again', (stored) => {
      const remaining = stored.channels.filter(
        ({ sponsor, state }) => sponsor !== facts.sponsor && state !== 'retired',
      )
      if (remaining.length === 0) return ok('no other sponsor has channels')
      const unused = remaining.filter(({ sponsor }) => !stored.inUse.has(sponsor))
      if (unused.length === 0)
        return ok(`${countedBySponsor(remaining)}, which replicas or a ChannelPool use`)
      return warning(
        `${countedBySponsor(unused)}, not retired`,
        'svc retire with the seed of that sponsor returns its reserves; a rotation that was interrupted goes on with svc rotate',
      )
    }),
}

const countedBySponsor = (channels: readonly Channel[]): string =>
  `${countOf(channels.length, 'channel')} of ${someOf([...new Set(channels.map(({ sponsor }) => sponsor))], 2)}`

export const channelChecks: readonly NetworkCheck[] = [
  channels,
  channelKeys,
  channelStates,
  channelSequences,
  otherSponsors,
]
