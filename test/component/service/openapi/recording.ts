import { readFileSync, writeFileSync } from 'node:fs'

/** Examples as the document shows them: by operation and status, then by name. */
export type Recording = Record<string, Record<string, { summary: string; value: unknown }>>

const file = new URL('../../../../src/service/openapi/examples.json', import.meta.url)
export const explorerFile = new URL(
  '../../../../src/service/openapi/examples-explorer.json',
  import.meta.url,
)

export const committedExamples = (from = file): Recording => JSON.parse(readFileSync(from, 'utf8'))

export const writeExamples = (recording: Recording, to = file): void =>
  writeFileSync(to, `${JSON.stringify(recording, null, 2)}\n`)

/** Values that differ from run to run, each replaced by the name of its kind. */
const varying: readonly (readonly [RegExp, string])[] = [
  [/^[GC][A-Z2-7]{55}$/, 'a strkey'],
  [/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'a UUID'],
  [/^[0-9a-f]{64}$/, 'a hash'],
  [/^key:[0-9a-f]{16}$/, 'a subject'],
  [/^\d{4}-\d\d-\d\dT[\d:.]+Z$/, 'a time'],
  [/^\d{4}-\d\d-\d\d$/, 'a day'],
  [/^\d{4}-\d\d$/, 'a month'],
  [/^[A-Za-z0-9+/=]{200,}$/, 'an envelope'],
  [/^ledger \d+(, read \d+ s ago)?$/, 'a ledger'],
  [/^\d{8,}$/, 'a balance'],
]

/** Members whose numbers differ from run to run. */
const numbers = /^(ledger|latestLedger|ledgerAgeSeconds|\w+Stroops|\w+Ms|\w+TtlLedgers|nonce)$/

/** The same for any two runs that answer in the same way. */
export function steady(value: unknown, name = ''): unknown {
  if (typeof value === 'string') {
    const kind = varying.find(([pattern]) => pattern.test(value))?.[1]
    if (kind !== undefined) return kind
  }
  if (value !== null && typeof value !== 'object') return numbers.test(name) ? 'a number' : value
  if (Array.isArray(value)) return value.map((each) => steady(each))
  if (value === null) return numbers.test(name) ? 'a number' : null
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, steady(member, key)]),
  )
}
