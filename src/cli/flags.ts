import { isNetworkId, type NetworkId, networkIds } from '../core/caip2.ts'

/** The command line was not understood; the message says what is wrong in one sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export function port(flag: string, text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= 0 && value <= 65_535) return value
  throw new UsageError(`${flag} is a port from 0 to 65535, not ${text}`)
}

/** Reads `5s` or `250ms` into milliseconds, at least one. */
export function duration(flag: string, text: string): number {
  const match = /^(?<count>\d+)(?<unit>ms|s)$/.exec(text)
  const ms = Number(match?.groups?.['count']) * (match?.groups?.['unit'] === 's' ? 1000 : 1)
  if (ms > 0) return ms
  throw new UsageError(`${flag} is a time such as 5s or 250ms, not ${text}`)
}

/** Reads `--network`; undefined means all of them. */
export function networkOf(text: string | undefined): NetworkId | undefined {
  if (text === undefined || isNetworkId(text)) return text
  throw new UsageError(`--network is one of ${networkIds.join(', ')}, not ${text}`)
}
