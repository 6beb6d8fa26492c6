import { h, type VNode } from 'preact'
import type { IngestEntry } from '../../records.ts'
import { readableCount } from '../format/count.ts'
import { exactTime } from '../format/time.ts'
import { networkName } from './values/network.ts'

export interface FooterOptions {
  readonly ingest: readonly IngestEntry[] | undefined
  readonly version: string
  readonly now: number
}

/** How far the explorer has read each network, and where its data is to be had. */
export const footer = ({ ingest, version, now }: FooterOptions): VNode =>
  h(
    'footer',
    { class: 'bottom' },
    h(
      'div',
      { class: 'bar' },
      h('section', { 'aria-label': 'State of the explorer' }, stateOf(ingest, now)),
      h(
        'nav',
        { 'aria-label': 'Data' },
        h('a', { href: '/openapi.json' }, 'API'),
        h('a', { href: '/stats' }, 'State as JSON'),
        h('span', { class: 'soft' }, `Version ${version}`),
      ),
    ),
  )

function stateOf(ingest: FooterOptions['ingest'], now: number): VNode {
  if (ingest === undefined) return h('p', null, dot('bad'), 'The state of the explorer is unknown.')
  if (ingest.length === 0) return h('p', null, dot('waiting'), 'No ledger was read yet.')
  return h(
    'ul',
    { class: 'ingest' },
    ingest.map((entry) => ingestItem(entry, now)),
  )
}

/** A ledger closes every five seconds or so; further behind than this the tail is late. */
const LATE_SECONDS = 30

function ingestItem(entry: IngestEntry, now: number): VNode {
  const { network, lastLedger, lastClosedAt, lastError, consecutiveFailures, backfill, gaps } =
    entry
  const closedMs = lastClosedAt === undefined ? now : Date.parse(lastClosedAt)
  const behind = Math.max(0, Math.round((now - closedMs) / 1_000))
  const isLate = behind > LATE_SECONDS
  const state = consecutiveFailures > 0 ? 'bad' : isLate ? 'waiting' : 'good'
  return h(
    'li',
    { key: network },
    dot(state),
    h('strong', null, networkName(network)),
    lastLedger === undefined
      ? h('span', null, 'no ledger yet')
      : h('span', null, 'ledger ', h('span', { class: 'num' }, readableCount(lastLedger))),
    lastClosedAt &&
      h(
        'time',
        { dateTime: lastClosedAt, title: `Closed ${exactTime(lastClosedAt)}` },
        `${readableCount(behind)} s behind`,
      ),
    backfill !== 'done' && h('span', null, `reading older ledgers: ${backfill}`),
    consecutiveFailures > 0 &&
      h(
        'span',
        { title: lastError },
        `the last ${consecutiveFailures === 1 ? 'poll' : `${consecutiveFailures} polls`} failed`,
      ),
    gapsOf(gaps),
  )
}

function gapsOf(gaps: IngestEntry['gaps']): VNode {
  if (gaps.length === 0) return h('span', null, 'no gaps')
  return h(
    'details',
    null,
    h('summary', null, gaps.length === 1 ? '1 gap' : `${gaps.length} gaps`),
    h(
      'ul',
      null,
      gaps.map(({ fromLedger, throughLedger }) =>
        h(
          'li',
          { key: fromLedger },
          `ledgers ${readableCount(fromLedger)} to ${readableCount(throughLedger)} are missing`,
        ),
      ),
    ),
  )
}

/** Decoration beside words that say the same. */
const dot = (state: 'good' | 'waiting' | 'bad'): VNode =>
  h('span', { class: `dot ${state}`, 'aria-hidden': 'true' })
