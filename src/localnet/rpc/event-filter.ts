import { StrKey, xdr } from '@stellar/stellar-sdk'
import { z } from 'zod'
import { fromBase64 } from './reads/xdr-fields.ts'

const MAX_FILTERS = 5
const MAX_CONTRACTS = 5
const MAX_TOPICS = 5
const MAX_SEGMENTS = 4

/** A segment of a topic filter: `*` any value, `**` any number of values, or a value (ScVal XDR). */
const Segment = z.string().refine((text) => isWildcard(text) || isScVal(text), {
  error: 'not a wildcard and not an SCVal in base64',
})

export const EventFilter = z.object({
  type: z.string().nullish(),
  contractIds: z.array(z.string()).nullish(),
  topics: z.array(z.array(Segment)).nullish(),
})
export type EventFilter = z.infer<typeof EventFilter>

/** The filtered part of an event. Topics are ScVal XDR in base64. */
export interface FilteredEvent {
  readonly type: 'system' | 'contract' | 'diagnostic'
  /** Empty for an event no contract emitted. */
  readonly contractId: string
  readonly topics: readonly string[]
}

const isWildcard = (segment: string): boolean => segment === '*' || segment === '**'

function isScVal(text: string): boolean {
  const bytes = fromBase64(text)
  return bytes !== undefined && xdr.ScVal.validateXdr(bytes)
}

/** Stellar RPC's error text for invalid filters; undefined for valid ones. */
export function problemOfFilters(filters: readonly EventFilter[]): string | undefined {
  if (filters.length > MAX_FILTERS) return `maximum ${MAX_FILTERS} filters per request`
  for (const [index, filter] of filters.entries()) {
    const problem = problemOfFilter(filter)
    if (problem) return `filter ${index + 1} invalid: ${problem}`
  }
  return undefined
}

function problemOfFilter({ type, contractIds, topics }: EventFilter): string | undefined {
  if (typesOf(type).some((one) => one !== 'system' && one !== 'contract')) {
    return "filter type invalid: if set, type must be either 'system' or 'contract'"
  }
  if ((contractIds?.length ?? 0) > MAX_CONTRACTS) {
    return `maximum ${MAX_CONTRACTS} contract IDs per filter`
  }
  if ((topics?.length ?? 0) > MAX_TOPICS) return `maximum ${MAX_TOPICS} topics per filter`
  const badId = contractIds?.findIndex((id) => !StrKey.isValidContract(id)) ?? -1
  if (badId >= 0) return `contract ID ${badId + 1} invalid`
  for (const [index, topic] of (topics ?? []).entries()) {
    const problem = problemOfTopic(topic)
    if (problem) return `topic ${index + 1} invalid: ${problem}`
  }
  return undefined
}

function problemOfTopic(topic: readonly string[]): string | undefined {
  if (topic.length === 0) return 'topic must have at least 1 segment'
  const fixed = withoutTail(topic)
  const misplaced = fixed.indexOf('**')
  if (misplaced >= 0) {
    return `segment ${misplaced + 1} invalid: wildcard '**' is only allowed as the last segment`
  }
  return fixed.length > MAX_SEGMENTS
    ? `topic cannot have more than ${MAX_SEGMENTS} segments`
    : undefined
}

/** True when at least one filter matches, or when there are none. */
export const passesFilters = (filters: readonly EventFilter[], event: FilteredEvent): boolean =>
  filters.length === 0 || filters.some((filter) => passes(filter, event))

function passes({ type, contractIds, topics }: EventFilter, event: FilteredEvent): boolean {
  const types = typesOf(type)
  if (types.length > 0 && !types.includes(event.type)) return false
  if (contractIds?.length && !contractIds.includes(event.contractId)) return false
  return !topics?.length || topics.some((topic) => matchesTopic(topic, event.topics))
}

function matchesTopic(topic: readonly string[], topics: readonly string[]): boolean {
  const fixed = withoutTail(topic)
  const isOpenEnded = fixed.length < topic.length
  if (isOpenEnded ? topics.length < fixed.length : topics.length !== fixed.length) return false
  return fixed.every((segment, index) => segment === '*' || segment === topics[index])
}

const withoutTail = (topic: readonly string[]): readonly string[] =>
  topic.at(-1) === '**' ? topic.slice(0, -1) : topic

const typesOf = (type: string | null | undefined): string[] => (type ? type.split(',') : [])
