import { h, type VNode } from 'preact'
import type { NetworkId } from '../../../../platform/core/caip2.ts'
import type { FacilitatorShare } from '../../../records.ts'
import { shareBar } from '../../components/figures/share-bar.ts'
import { type Column, dataTable } from '../../components/tables/data-table.ts'
import { time, timeSwitch } from '../../components/values/time.ts'
import { readableCount, shareOf } from '../../format/count.ts'
import { visibleText } from '../../format/visible-text.ts'
import { linkTo } from '../../links.ts'
import type { Span } from '../../window.ts'

export interface SharesTableOptions {
  readonly caption: string
  readonly shares: readonly FacilitatorShare[]
  readonly span: Span
  readonly network?: NetworkId | undefined
  readonly now: number
  /** Without the last payment and the proof, where there is little space. */
  readonly isShort?: boolean
}

interface Shown extends FacilitatorShare {
  readonly inSpan: number
  readonly shareInSpan: number
}

/** Facilitators by their share of the payments of a window, largest first. */
export function sharesTable({
  caption,
  shares,
  span,
  network,
  now,
  isShort,
}: SharesTableOptions): VNode {
  const countOf = (share: FacilitatorShare) =>
    span === 'all' ? share.payments : share.windows[span]
  const all = shares.reduce((sum, share) => sum + countOf(share), 0)
  const rows = shares
    .map((share): Shown => {
      const inSpan = countOf(share)
      return { ...share, inSpan, shareInSpan: shareOf(inSpan, all) }
    })
    .filter(({ inSpan, facilitatorId }) => inSpan > 0 || (!isShort && facilitatorId !== null))
    .sort((a, b) => b.inSpan - a.inSpan)
  const details: readonly Column<Shown>[] = [
    {
      label: 'Signers',
      cell: ({ facilitatorId, verified }) =>
        facilitatorId === null ? 'none known' : verified ? 'verified' : 'not verified',
    },
    {
      label: 'Last payment',
      name: 'time',
      head: timeSwitch('Last payment'),
      cell: ({ lastPaymentAt }) => (lastPaymentAt ? time(lastPaymentAt, now) : 'none'),
    },
  ]
  return dataTable({
    caption,
    rows,
    keyOf: ({ facilitatorId }) => facilitatorId ?? '',
    empty: 'No payment in this time.',
    columns: [
      { label: 'Facilitator', isRowHeader: true, cell: facilitatorName },
      ...(isShort ? [] : details),
      {
        label: 'Payments',
        isNumber: true,
        cell: ({ facilitatorId, inSpan }) =>
          h('a', { href: paymentsOf(facilitatorId, network) }, readableCount(inSpan)),
      },
      { label: 'Share', name: 'share-cell', cell: ({ shareInSpan }) => shareBar(shareInSpan) },
    ],
  })
}

/** Payments without a facilitator are those that are only x402-shaped. */
const paymentsOf = (id: string | null, network: NetworkId | undefined): string =>
  linkTo.payments(
    id === null ? { network, confidence: 'x402-shaped' } : { network, facilitator: id },
  )

function facilitatorName({ facilitatorId, displayName }: FacilitatorShare): VNode {
  if (facilitatorId === null) {
    return h(
      'span',
      {
        class: 'confidence x402-shaped',
        title: 'They have the shape of x402 payments; no known facilitator submitted them.',
      },
      h('span', { class: 'shape', 'aria-hidden': 'true' }),
      'Unattributed',
    )
  }
  const name = displayName && visibleText(displayName)
  return h('a', { href: linkTo.facilitator(facilitatorId) }, h('bdi', null, name || facilitatorId))
}
