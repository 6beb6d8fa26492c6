import { isIP } from 'node:net'
import { hasHidden } from '../../platform/core/text/hostile-text.ts'
import { isPublicAddress } from '../../platform/http/guarded-fetch/public-address.ts'
import type { ListingContent, Rejection } from '../listing.ts'
import { quoted, reject } from './rejection.ts'

export const MAX_RESOURCE_LENGTH = 2_048

interface UrlRules {
  readonly kind: ListingContent['kind']
  /** Whether loopback addresses may be listed: on a development machine. */
  readonly allowLoopback: boolean
}

/**
 * Reads the URL of a resource. Only MCP tools may have an `mcp:` URL; `http:` and `https:` must not lead to a private
 * address as written (what a name resolves to, a check of the origin finds out), nor carry a user name.
 */
export function readResourceUrl(
  text: unknown,
  { kind, allowLoopback }: UrlRules,
): { readonly ok: true; readonly url: URL } | Rejection {
  if (typeof text !== 'string' || text === '') {
    return reject('bazaar_resource_invalid', 'The resource has no url.')
  }
  if (text.length > MAX_RESOURCE_LENGTH) {
    const limit = `${MAX_RESOURCE_LENGTH} characters`
    return reject('bazaar_resource_invalid', `The URL of the resource is longer than ${limit}.`)
  }
  if (hasHidden(text)) {
    return reject('bazaar_resource_unsafe', 'The URL of the resource holds invisible characters.')
  }
  const url = URL.parse(text)
  if (!url) {
    const reason = `The URL of the resource, ${quoted(text)}, is not an absolute URL.`
    return reject('bazaar_resource_invalid', reason)
  }
  if (!isWeb(url) && !(kind === 'mcp' && url.protocol === 'mcp:')) {
    const allowed = kind === 'mcp' ? 'https:, http: or mcp:' : 'https: or http:'
    const reason = `The URL of the resource starts with ${quoted(url.protocol)}, expected ${allowed}.`
    return reject('bazaar_resource_invalid', reason)
  }
  if (url.username !== '' || url.password !== '') {
    return reject(
      'bazaar_resource_unsafe',
      'The URL of the resource carries a user name or password.',
    )
  }
  // The dot of a fully qualified name: with it, the same resource would be listed twice, for two payees.
  if (isWeb(url)) url.hostname = url.hostname.replace(/\.+$/, '')
  if (isWeb(url) && !isPublicHost(url.hostname, allowLoopback)) {
    const reason = `The host of the resource, ${url.hostname}, is not a public address.`
    return reject('bazaar_resource_unsafe', reason)
  }
  return { ok: true, url }
}

/**
 * The URL under which the catalog lists a resource: origin and path, or origin and route template, without query and fragment. An `mcp:`
 * URL stays as declared, without these two.
 */
export function canonicalResource(url: URL, routeTemplate?: string): string {
  if (isWeb(url)) return url.origin + (routeTemplate ?? url.pathname)
  const canonical = new URL(url)
  canonical.search = ''
  canonical.hash = ''
  return canonical.href
}

/** The host of a listed resource: lower case, without a port; empty for an `mcp:` URL, whose host no server answers for. */
export function hostOf(resource: string): string {
  const url = new URL(resource)
  return isWeb(url) ? url.hostname : ''
}

/** Whether a server answers for it, which the catalog can ask. */
export const isWeb = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:'

function isPublicHost(hostname: string, allowLoopback: boolean): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(address) !== 0) return isPublicAddress(address, allowLoopback)
  const isLocal = /^(.*\.)?localhost\.?$/.test(hostname)
  return hostname !== '' && (allowLoopback || !isLocal)
}
