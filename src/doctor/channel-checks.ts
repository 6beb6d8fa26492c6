/** Whether seed, store and ledger tell the same of the channels. */
import type { Channel } from '../store/channels/channel.ts'
import type { CheckName } from './check-names.ts'
import { type Check, judging } from './examine.ts'
import type { LedgerFacts, NetworkFacts, StoredFacts } from './facts.ts'
import { countOf, ok, problem, someOf, type Verdict, warning } from './verdict.ts'

/** One that was in use a moment ago may have been read by the ledger before, by the store after. */
const AT_REST_MS = 60_000

const PROVISION = 'npx svc provision'

type NetworkCheck = Check<CheckName, NetworkFacts>

const onBoth = (
  { ledger, stored }: NetworkFacts,
  judge: (ledger: LedgerFacts, stored: StoredFacts) => Verdict,
): Verdict =>
  judging(ledger, '', (onLedger) =>
    judging(stored, 'run the command again', (inStore) => judge(onLedger, inStore)),
  )

const ours = ({ channels }: StoredFacts, { sponsor }: NetworkFacts): readonly Channel[] =>
  channels.filter((channel) => channel.sponsor === sponsor)

const indices = (channels: readonly { readonly index: number }[]): string =>
  someOf(channels.map(({ index }) => String(index)))

const channels: NetworkCheck = {
  name: 'channels',
  needs: ['sponsor'],
  judge: ({ ledger, network: { channelCount, autoProvisionChannels } }) =>
    judging(ledger, '', ({ derived, channels: found }) => {
      const there = derived.slice(0, channelCount).filter((address) => found.has(address)).length
      const says = `${there} of ${channelCount} are on the ledger`
      if (there === channelCount) return ok(says)
      const todo = autoProvisionChannels ? `${PROVISION}, or start the service` : PROVISION
      return there === 0 && !autoProvisionChannels ? problem(says, todo) : warning(says, todo)
    }),
}

const channelKeys: NetworkCheck = {
  name: 'channel-keys',
  needs: ['schema', 'sponsor'],
  judge: (facts) =>
    onBoth(facts, ({ derived, channels: found }, stored) => {
      const foreign = ours(stored, facts).filter(({ index, account }) => derived[index] !== account)
      if (foreign.length > 0) {
        return problem(
          `the store has other accounts than the seed derives, of ${indices(foreign)}`,
          'configure the seed that this database was made with, or a database of its own',
        )
      }
      const unsponsored = [...found.values()].filter(({ sponsored }) => sponsored === 0)
      if (unsponsored.length === 0) return ok('derived from the seed, reserves paid by the sponsor')
      return warning(
        `nobody sponsors ${someOf(unsponsored.map(({ address }) => address))}`,
        'somebody else created it: svc retire, then svc provision, makes it anew',
      )
    }),
}

const channelStates: NetworkCheck = {
  name: 'channel-states',
  needs: ['schema', 'channels'],
  judge: (facts) =>
    onBoth(facts, ({ channels: found }, stored) => {
      const known = ours(stored, facts)
      const active = known.filter(({ state }) => state === 'active')
      const gone = active.filter(({ account }) => !found.has(account))
      if (gone.length > 0) {
        return problem(`in use by the store, but on no ledger: ${indices(gone)}`, PROVISION)
      }
      const wanted = known.filter(({ index }) => index < facts.network.channelCount)
      const idle = wanted.filter(({ state }) => state !== 'active')
      if (idle.length > 0) {
        const states = [...new Set(idle.map(({ state }) => state))].join(' or ')
        return warning(`${states}: ${indices(idle)}`, PROVISION)
      }
      const unknown = facts.network.channelCount - wanted.length
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
  judge: (facts) =>
    onBoth(facts, ({ channels: found }, stored) => {
      const wrong = ours(stored, facts).filter((channel) => isWrong(channel, found, stored.readAt))
      if (wrong.length === 0) return ok('as on the ledger')
      return warning(
        `other numbers than the ledger's: ${indices(wrong)}`,
        `${PROVISION}: their next use begins with a question to the ledger then`,
      )
    }),
}

function isWrong(
  { account, sequence, isLeased, lastUsedAt }: Channel,
  found: LedgerFacts['channels'],
  now: number,
): boolean {
  const onLedger = found.get(account)?.sequence
  const isAtRest = !isLeased && now - (lastUsedAt?.getTime() ?? 0) > AT_REST_MS
  return isAtRest && sequence !== undefined && onLedger !== undefined && sequence !== onLedger
}

const otherSponsors: NetworkCheck = {
  name: 'other-sponsors',
  needs: ['schema'],
  judge: (facts) =>
    judging(facts.stored, 'run the command again', (stored) => {
      const left = stored.channels.filter(
        ({ sponsor, state }) => sponsor !== facts.sponsor && state !== 'retired',
      )
      if (left.length === 0) return ok('none has channels')
      const sponsors = someOf([...new Set(left.map(({ sponsor }) => sponsor))], 2)
      return warning(
        `${countOf(left.length, 'channel')} of ${sponsors} not retired`,
        'npx svc retire with the seed of that sponsor returns its reserves',
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
