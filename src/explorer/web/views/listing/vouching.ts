import { h, type VNode } from 'preact'
import type { CatalogListing } from '../../../../buying/client/catalog-types.ts'
import { facts } from '../../components/facts.ts'
import { time } from '../../components/values/time.ts'
import { counted } from '../../format/count.ts'
import { visibleText } from '../../format/visible-text.ts'

/** Who stands by a listing: its buyers, its server, its host. */
export function vouching(listing: CatalogListing, now: number): VNode {
  const { svc, type, lastOutcome, nextCheckAt } = listing
  const [own] = svc.listings
  const domain = own?.stellar?.domain
  const isVerified = svc.trust !== 'settled'
  return facts([
    {
      label: 'Settled',
      value: counted(svc.settlements, 'payment'),
      note: [
        'This facilitator has settled them. ',
        own && ['The last one ', time(own.lastSettled, now), '.'],
      ],
    },
    {
      label: 'Origin',
      value: type === 'mcp' ? 'not asked' : isVerified ? 'confirmed' : 'not confirmed',
      note:
        type === 'mcp'
          ? 'A tool has no answer of its own to ask; its words are those of its first payer.'
          : 'Whether the server itself names the seller and the price when it is called without a payment.',
    },
    {
      label: 'Domain',
      value:
        domain === undefined
          ? 'not read'
          : domain.claimsOwner
            ? 'claims the seller'
            : 'does not claim the seller',
      note: domain
        ? ['The stellar.toml of ', h('bdi', null, visibleText(domain.host)), '.']
        : 'The stellar.toml of its host was not read.',
    },
    {
      label: 'Last check',
      value: time(lastOutcome.at, now),
      note: lastOutcome.reason && visibleText(lastOutcome.reason),
    },
    nextCheckAt !== null && {
      label: 'Next check',
      value: h(
        'time',
        { dateTime: nextCheckAt },
        nextCheckAt.slice(0, 16).replace('T', ' '),
        ' UTC',
      ),
    },
  ])
}
