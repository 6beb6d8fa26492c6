import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { cleanLine } from '../../platform/core/text/hostile-text.ts'
import type { ListingContent } from '../listing.ts'
import type { DroppedField } from '../outcome/codes.ts'
import type { JsonObject } from './json-values.ts'

type Metadata = Pick<
  ListingContent,
  'description' | 'mimeType' | 'serviceName' | 'tags' | 'iconUrl'
>

export interface ReadMetadata {
  readonly metadata: Metadata
  readonly dropped: readonly DroppedField[]
}

const MAX_DESCRIPTION_LENGTH = 2_000
const MAX_MIME_TYPE_LENGTH = 255
const MAX_NAME_LENGTH = 32
const MAX_TAGS = 5
const MAX_ICON_URL_LENGTH = 2_048

/** Each member of a resource that describes it, where it keeps the rules; the names of the others. */
export function readMetadata(resource: JsonObject): ReadMetadata {
  const read: { readonly [Name in keyof Metadata]-?: (value: unknown) => Metadata[Name] } = {
    serviceName: readServiceName,
    tags: readTags,
    iconUrl: readIconUrl,
    description: readDescription,
    mimeType: readMimeType,
  }
  const metadata: Record<string, unknown> = {}
  const dropped: DroppedField[] = []
  for (const name of Object.keys(read) as (keyof Metadata)[]) {
    const given = resource[name]
    if (given === undefined || given === null || given === '') continue
    const value = read[name](given)
    if (value !== undefined) metadata[name] = value
    if (value === undefined || isShorter(value, given)) dropped.push(name)
  }
  return { metadata, dropped }
}

/** Whether entries are missing of a list that was kept. */
const isShorter = (kept: unknown, given: unknown): boolean =>
  Array.isArray(kept) && Array.isArray(given) && kept.length < given.length

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/

function readServiceName(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= MAX_NAME_LENGTH && PRINTABLE_ASCII.test(value)
    ? value
    : undefined
}

/** The first five different ones, whatever their case. */
function readTags(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  const tags = new Map<string, string>()
  for (const entry of value) {
    const tag = readServiceName(entry)
    if (tag === undefined || tags.has(tag.toLowerCase())) continue
    tags.set(tag.toLowerCase(), tag)
    if (tags.size === MAX_TAGS) break
  }
  return tags.size > 0 ? [...tags.values()] : undefined
}

function readDescription(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_DESCRIPTION_LENGTH) return undefined
  const text = cleanLine(value)
  return text === '' ? undefined : text
}

const MIME_TYPE = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+*-]+( *;[\x20-\x7e]*)?$/i

function readMimeType(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= MAX_MIME_TYPE_LENGTH && MIME_TYPE.test(value)
    ? value
    : undefined
}

const LOOPBACK_NAMES: ReadonlySet<string> = new Set([
  'localhost',
  'localhost.localdomain',
  'ip6-localhost',
  'ip6-loopback',
])

/** A browser fetches it: only from a name that can be public. */
function readIconUrl(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_ICON_URL_LENGTH) return undefined
  if (value !== cleanLine(value) || /\s/u.test(value)) return undefined
  const url = URL.parse(value)
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  if (url.username !== '' || url.password !== '' || url.host.startsWith('[')) return undefined
  const host = domainToASCII(url.hostname).toLowerCase()
  const isNoName = host === '' || isIP(host) !== 0 || /^(\d+|0x[0-9a-f]+)$/.test(host)
  return isNoName || LOOPBACK_NAMES.has(host) ? undefined : value
}
