/** Whether seed, store and ledger agree about the channels. */
import type { Channel } from '../store/channels/channel.ts'
import type { CheckName } from './check-names.ts'
import { countOf, type Diagnosis, ok, problem, someOf, warning } from './diagnosis.ts'
import type { LedgerFacts, NetworkFacts, StoredFacts } from './facts.ts'
import { checkFetched, type DoctorCheck } from './run-checks.ts'

/**
 * Sequence numbers are compared only of channels that were idle for this long: a payment may fall
 * between reading the ledger and reading the store.
 */
const IDLE_MS = 60_000

const PROVISION = 'svc provision'

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
  run: ({ ledger, network: { channelCount, autoProvisionChannels } }) =>
    checkFetched(ledger, '', ({ derived, channels: found }) => {
      const existing = derived.slice(0, channelCount).filter((address) => found.has(address)).length
      const says = `${existing} of ${channelCount} are on the ledger`
      if (existing === channelCount) return ok(says)
      const todo = autoProvisionChannels
        ? `${PROVISION}, or start or restart the service`
        : PROVISION
      // A service that runs creates none either: it does so only when it starts.
      if (existing === 0) return problem(says, `${todo}: without a channel no payment can be made`)
      return warning(says, todo)
    }),
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
        'another account created it: svc retire, then svc provision, recreates it',
      )
    }),
}

const channelStates: NetworkCheck = {
  name: 'channel-states',
  needs: ['schema', 'channels'],
  run: (facts) =>
    withBoth(facts, ({ channels: found }, stored) => {
      const known = ofSponsor(stored, facts)
      const active = known.filter(({ state }) => state === 'active')
      const gone = active.filter(({ account }) => !found.has(account))
      if (gone.length > 0) {
        return problem(`active in the store, but not on the ledger: ${indices(gone)}`, PROVISION)
      }
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
      const leased = active.filter(({ isLeased }) => isLeased).length
      return ok(`${active.length} active, ${leased} in use`)
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
        `${PROVISION}: the service then reads them from the ledger`,
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
      const sponsors = someOf([...new Set(remaining.map(({ sponsor }) => sponsor))], 2)
      return warning(
        `${countOf(remaining.length, 'channel')} of ${sponsors} are not retired`,
        'svc retire with the seed of that sponsor returns its reserves',
      )
    }),
}

export const channelChecks: readonly NetworkCheck[] = [
  channels,
  channelKeys,
  channelStates,
  channelSequences,
  otherSponsors,
]
