import { h } from 'preact'
import type { AssetRecord } from '../../../records.ts'
import { card } from '../../components/card.ts'
import { facts } from '../../components/facts.ts'
import { stats } from '../../components/figures/stat.ts'
import { timeChart } from '../../components/figures/time-chart.ts'
import { pageHead } from '../../components/page-head.ts'
import { paymentsTable } from '../../components/tables/payments-table.ts'
import { address } from '../../components/values/address.ts'
import { isWellKnown } from '../../components/values/amount.ts'
import { networkName } from '../../components/values/network.ts'
import { fullTime } from '../../components/values/time.ts'
import type { PageDeps } from '../../deps.ts'
import { exactAmount, readableAmount } from '../../format/amount.ts'
import { readableCount } from '../../format/count.ts'
import { shortened } from '../../format/short.ts'
import { visibleText } from '../../format/visible-text.ts'
import { linkTo } from '../../links.ts'
import { type Page, PageRefusal, type PageRequest } from '../../page.ts'
import { bucketsOf, chartWords } from '../../window.ts'

const PAYMENTS = 25

/** One asset: what was paid in it. */
export async function assetPage(
  { params, network, now }: PageRequest,
  { reads }: PageDeps,
): Promise<Page> {
  const contract = params['contract'] ?? ''
  const isContract = /^C[A-Z2-7]{55}$/.test(contract)
  const found = isContract ? await reads.asset(contract, network) : undefined
  if (found === undefined) {
    throw new PageRefusal(
      404,
      'No such asset',
      'No x402 payment in this asset was observed. Search for another one above.',
    )
  }
  const filters = { asset: contract, network: found.network }
  const [series, feed] = await Promise.all([
    reads.timeseries({ ...bucketsOf['30d'], ...filters }),
    reads.feed(filters, { limit: PAYMENTS }),
  ])
  const code = visibleText(found.assetCode ?? '')
  return {
    title: code || `Asset ${shortened(contract)}`,
    body: [
      pageHead(
        h('bdi', null, code || 'Asset'),
        address(contract, { label: 'Contract', isWhole: true }),
      ),
      figures(found, code),
      card(
        { title: `Payments, ${chartWords(series, '30d')}`, id: 'by-time' },
        timeChart({ series, filters, span: chartWords(series, '30d') }),
      ),
      card({ title: 'What is known', id: 'known' }, knownFacts(found, now)),
      card(
        {
          title: 'Latest payments',
          id: 'payments',
          isFlush: true,
          aside: h('a', { href: linkTo.payments(filters) }, 'All payments in it'),
        },
        paymentsTable({
          caption: 'Newest payments in this asset',
          payments: feed.items,
          now,
          empty: 'No payment was observed.',
        }),
      ),
    ],
  }
}

function figures({ assetContract, network, stats: figure }: AssetRecord, code: string) {
  const href = linkTo.payments({ asset: assetContract, network })
  return stats([
    { label: 'Volume', value: readableAmount(figure.totalDecimal), note: code },
    { label: 'Payments', value: readableCount(figure.totalPayments), href, note: 'all time' },
    { label: 'Last 24 hours', value: readableCount(figure.windows['24h']), href },
    { label: 'Last 7 days', value: readableCount(figure.windows['7d']), href },
    { label: 'Last 30 days', value: readableCount(figure.windows['30d']), href },
  ])
}

const knownFacts = (found: AssetRecord, now: number) =>
  facts([
    { label: 'Network', value: networkName(found.network) },
    found.asset !== undefined && {
      label: 'Asset',
      value: h('code', { class: 'mono' }, visibleText(found.asset)),
      note: isWellKnown(found)
        ? undefined
        : 'Anyone can issue an asset with any code. Compare the issuer.',
    },
    found.decimals !== undefined && { label: 'Decimals', value: String(found.decimals) },
    {
      label: 'Exact volume',
      value: h('span', { class: 'num' }, exactAmount(found.stats.totalDecimal)),
      note: `${found.stats.total} base units`,
    },
    found.stats.firstPaymentAt !== undefined && {
      label: 'First payment',
      value: fullTime(found.stats.firstPaymentAt, now),
    },
    found.stats.lastPaymentAt !== undefined && {
      label: 'Last payment',
      value: fullTime(found.stats.lastPaymentAt, now),
    },
  ])
