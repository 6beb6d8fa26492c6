import type { Summary } from '../../kubernetes/plugin/status/summary.ts'
import { printable } from '../../platform/core/text/printable.ts'
import { wrap } from '../command-line/wrap.ts'
import { age, columns, cutTo } from './columns.ts'

/* One screen of a usual terminal, without colour: the state first, then what to do, then what happened. */

const COLUMNS = 80
const ROWS = 40
const MAX_EVENTS = 5
const MAX_LINES_OF_A_PROBLEM = 5

const UNKNOWN = '?'

/** @param now of the clock, in milliseconds, for ages */
export function statusPage(summary: Summary, now: number): string {
  const head = [...headLines(summary), '', ...podLines(summary), '', ...poolLines(summary), '']
  const payments = [...paymentLines(summary), '']
  const events = eventLines(summary, now)
  const left = ROWS - head.length - payments.length - events.length - 2
  const problems = problemLines(summary, left)
  const lines = [...head, ...payments, ...problems, '', ...events]
  return `${lines.map((line) => cutTo(COLUMNS, printable(line)).trimEnd()).join('\n')}\n`
}

function headLines({ name, namespace, ready, reason, progressing, paused, url }: Summary) {
  const state = ready === 'True' ? 'READY' : ready === 'False' ? 'NOT READY' : 'UNKNOWN'
  return [
    `Facilitator ${name} in ${namespace}: ${state} (${reason})${paused ? ', PAUSED' : ''}`,
    ...(url === null ? [] : [`Address: ${url}`]),
    ...(progressing === null ? [] : progressLines(progressing)),
  ]
}

function progressLines(text: string): readonly string[] {
  const lines = wrap(`In progress: ${text}`, COLUMNS - ' ..'.length)
  return lines.length > 2 ? [`${lines[0]}`, `${lines[1]} ..`] : lines
}

function podLines(summary: Summary): string[] {
  const rows = summary.parts.map(({ name, ready, wanted, updated, restarts, images }) => [
    name,
    `${ready}/${wanted}`,
    `${updated}/${wanted}`,
    String(restarts ?? UNKNOWN),
    images === null ? UNKNOWN : images.length > 1 ? `${images.length} images` : (images[0] ?? '-'),
  ])
  const head = ['PODS', 'READY', 'UPDATED', 'RESTARTS', 'IMAGE']
  return [...columns([head, ...rows]), ...why(summary, 'pods')]
}

function poolLines(summary: Summary): string[] {
  const hasSpendable = summary.pools.some(({ spendableXlm }) => spendableXlm !== null)
  const rows = summary.pools.map((pool) => {
    const { channels, runwayHours, spendableXlm, balanceXlm } = pool
    return [
      pool.name,
      pool.network ?? UNKNOWN,
      `${channels.ready ?? UNKNOWN}/${channels.wanted ?? UNKNOWN}`,
      String(channels.inUse ?? UNKNOWN),
      (hasSpendable ? spendableXlm : balanceXlm) ?? UNKNOWN,
      runwayHours === null ? '-' : age(runwayHours * 3_600_000),
    ]
  })
  const amount = hasSpendable ? 'SPENDABLE XLM' : 'BALANCE XLM'
  const head = ['POOL', 'NETWORK', 'CHANNELS', 'IN USE', amount, 'RUNWAY']
  const sponsors = summary.pools.flatMap(({ name, sponsor }) =>
    sponsor === null ? [] : [[`Sponsor of ${name}:`, sponsor]],
  )
  return [
    ...columns([head, ...rows]),
    ...(sponsors.length > 0 ? columns(sponsors) : []),
    ...summary.pools.flatMap(({ name }) => why(summary, `ChannelPool ${name}`)),
  ]
}

function paymentLines(summary: Summary): string[] {
  const rows = (summary.payments ?? []).map(({ network, last1h, unfinished }) => {
    if (last1h === null) return [network, 'unknown: the pod cannot read the database']
    const { succeeded, failed, expired, pending } = last1h
    const counts = `${succeeded} succeeded, ${failed} failed, ${expired} expired, ${pending} pending`
    return [network, `${counts}; ${unfinished ?? UNKNOWN} unfinished`]
  })
  return [
    'PAYMENTS of the last hour',
    ...(rows.length > 0 ? columns(rows) : []),
    ...why(summary, 'payments and warnings of the pods'),
  ]
}

function problemLines({ problems }: Summary, rows: number): string[] {
  if (problems.length === 0) return ['PROBLEMS: none']
  const texts = problems.map(({ about, reason, message }, index) =>
    clipped(wrap(`${index + 1}. ${about}, ${reason}: ${message}`, COLUMNS - 3)),
  )
  const lines: string[] = []
  const [first = [], ...others] = texts
  lines.push(...first)
  let shown = 1
  for (const text of others) {
    if (lines.length + text.length > rows - 2) break
    lines.push(...text)
    shown += 1
  }
  const hidden = problems.length - shown
  return [
    'PROBLEMS, and what to do',
    ...lines,
    ...(hidden > 0 ? [`   and ${hidden} more: -o json shows all`] : []),
  ]
}

const clipped = (lines: readonly string[]): string[] =>
  lines.slice(0, MAX_LINES_OF_A_PROBLEM).map((line, index) => {
    const isCut = index === MAX_LINES_OF_A_PROBLEM - 1 && lines.length > MAX_LINES_OF_A_PROBLEM
    return `${index === 0 ? '' : '   '}${line}${isCut ? ' ..' : ''}`
  })

function eventLines(summary: Summary, now: number): string[] {
  const { events } = summary
  const rows = (events ?? [])
    .slice(0, MAX_EVENTS)
    .map(({ at, type, reason, about, message }) => [
      age(now - Date.parse(at)),
      type === 'Normal' ? '' : '!',
      reason,
      `${about}: ${message}`,
    ])
  return [
    events?.length === 0 ? 'EVENTS: none' : 'EVENTS, newest first; ! is a warning',
    ...(rows.length > 0 ? columns(rows) : []),
    ...why(summary, 'events'),
  ]
}

/** Why a part of the page is missing. */
const why = ({ unreadable }: Summary, part: string): string[] =>
  unreadable
    .filter(({ what }) => what === part)
    .flatMap(({ why: because }) => wrap(`Not readable: ${because}.`, COLUMNS))
