import { h, type VNode } from 'preact'
import { facilitatorIdSchema } from '../../../facilitator-id.ts'
import type { FacilitatorRecord } from '../../../records.ts'
import { card } from '../../components/card.ts'
import { type Fact, facts } from '../../components/facts.ts'
import { shareBar } from '../../components/figures/share-bar.ts'
import { stats } from '../../components/figures/stat.ts'
import { timeChart } from '../../components/figures/time-chart.ts'
import { pageHead } from '../../components/page-head.ts'
import { paymentsTable } from '../../components/tables/payments-table.ts'
import { address } from '../../components/values/address.ts'
import { networkName } from '../../components/values/network.ts'
import { fullTime } from '../../components/values/time.ts'
import type { PageDeps } from '../../deps.ts'
import { counted, readableCount } from '../../format/count.ts'
import { visibleText } from '../../format/visible-text.ts'
import { linkTo } from '../../links.ts'
import { type Page, PageRefusal, type PageRequest } from '../../page.ts'
import { showsNetworkOf } from '../../serving/shows-network.ts'
import { bucketsOf, chartWords } from '../../window.ts'

const PAYMENTS = 25

/** One facilitator: its share, its payments by time, what is known of it, and its newest payments. */
export async function facilitatorPage(
  { params, now }: PageRequest,
  { reads, networks }: PageDeps,
): Promise<Page> {
  const id = params['id'] ?? ''
  if (!facilitatorIdSchema.safeParse(id).success) throw unknownFacilitator()
  const filters = { facilitator: id }
  const [found, series, feed] = await Promise.all([
    reads.facilitator(id),
    reads.timeseries({ ...bucketsOf['30d'], facilitator: id }),
    reads.feed(filters, { limit: PAYMENTS }),
  ])
  if (found === undefined) {
    throw unknownFacilitator()
  }
  const name = visibleText(found.displayName ?? '') || id
  return {
    title: name,
    section: 'facilitators',
    body: [
      pageHead(h('bdi', null, name), sentenceOf(found)),
      figures(found),
      card(
        { title: `Payments, ${chartWords(series, '30d')}`, id: 'by-time' },
        timeChart({ series, filters, span: chartWords(series, '30d') }),
      ),
      card({ title: 'What is known', id: 'known' }, facts(knownFacts(found, now))),
      card(
        {
          title: 'Latest payments',
          id: 'payments',
          isFlush: true,
          aside: h('a', { href: linkTo.payments(filters) }, 'All its payments'),
        },
        paymentsTable({
          caption: `Newest payments that ${name} submitted`,
          payments: feed.items,
          now,
          showsNetwork: showsNetworkOf(networks, {}),
          empty: 'It submitted no payment yet.',
        }),
      ),
    ],
  }
}

const unknownFacilitator = () =>
  new PageRefusal(
    404,
    'No such facilitator',
    'The explorer knows no facilitator with this id. The list of facilitators has all that it knows.',
  )

const sources: Readonly<Record<FacilitatorRecord['source'], string>> = {
  own: 'This service.',
  configured: 'Named in the configuration of this explorer.',
  announced: 'It announced itself to this explorer.',
}

function sentenceOf({ source, verified }: FacilitatorRecord): string {
  return `${sources[source]} ${verified ? trust[source] : noTrust[source]}`
}

const trust: Readonly<Record<FacilitatorRecord['source'], string>> = {
  own: 'Its payments are known from its own records.',
  configured: 'It names its signers, and so its payments are verified.',
  announced: 'It has proven signers, and so their payments are verified.',
}

const noTrust: Readonly<Record<FacilitatorRecord['source'], string>> = {
  own: '',
  configured: 'It has not answered yet, and so its signers are not known.',
  announced: 'None of its signers is proven now, and so no payment is attributed to it.',
}

function figures(found: FacilitatorRecord): VNode {
  const href = linkTo.payments({ facilitator: found.facilitatorId ?? '' })
  const { windows } = found
  return stats([
    { label: 'Payments', value: readableCount(found.payments), href, note: 'all time' },
    { label: 'Share of all payments', value: shareBar(found.share), note: 'all time' },
    { label: 'Last 24 hours', value: readableCount(windows['24h']), href },
    { label: 'Last 7 days', value: readableCount(windows['7d']), href },
    { label: 'Last 30 days', value: readableCount(windows['30d']), href },
  ])
}

/** Signers beyond these are behind a click. */
const FEW = 8

const knownFacts = (
  found: FacilitatorRecord,
  now: number,
): readonly (Fact | false | undefined)[] => [
  { label: 'Id', value: h('code', null, found.facilitatorId) },
  found.baseUrl !== undefined && {
    label: 'Address',
    value: h('code', null, visibleText(found.baseUrl)),
  },
  { label: 'Networks', value: found.networks.map(visibleText).join(', ') || 'none named' },
  {
    label: 'Signers',
    value: list(found.signers.map(({ network, address: signer }) => signerItem(signer, network))),
  },
  found.claimedSigners.length > 0 && {
    label: 'Claimed signers',
    value: list(
      found.claimedSigners.map(({ network, address: signer }) => signerItem(signer, network)),
    ),
  },
  found.uptoContracts.length > 0 && {
    label: 'upto contracts',
    value: list(found.uptoContracts.map((contract) => address(contract, { label: 'Contract' }))),
  },
  { label: 'Known since', value: fullTime(found.createdAt, now) },
  found.lastSeenAt !== undefined && {
    label: 'Last answered',
    value: fullTime(found.lastSeenAt, now),
  },
  found.lastPaymentAt !== undefined && {
    label: 'Last payment',
    value: fullTime(found.lastPaymentAt, now),
  },
  found.lastError !== undefined && { label: 'Last error', value: visibleText(found.lastError) },
]

const signerItem = (
  signer: string,
  network: FacilitatorRecord['signers'][number]['network'],
): VNode =>
  h(
    'span',
    { class: 'item' },
    address(signer, { label: 'Signer', href: linkTo.address(signer) }),
    h('span', { class: 'tag' }, networkName(network)),
  )

function list(items: readonly VNode[]): VNode {
  if (items.length === 0) return h('span', { class: 'soft' }, 'none')
  const all = h(
    'ul',
    { class: 'items' },
    items.map((item, at) => h('li', { key: at }, item)),
  )
  return items.length <= FEW
    ? all
    : h('details', null, h('summary', null, counted(items.length, 'address', 'addresses')), all)
}
