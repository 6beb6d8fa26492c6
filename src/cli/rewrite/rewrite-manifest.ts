import { isDeepStrictEqual } from 'node:util'
import { loadAll } from 'js-yaml'
import { channelPool } from '../../api/channel-pool.ts'
import { effectiveChannelPool, effectiveFacilitator } from '../../api/effective.ts'
import { facilitator } from '../../api/facilitator.ts'
import { API_VERSION, GROUP, SERVED_VERSIONS } from '../../api/group.ts'
import { applyEdits, type Edit, nested, renamed, replaced } from './edits.ts'
import { rewrittenPods } from './rewrite-pods.ts'
import { type Member, memberOf, type YamlNode, yamlDocuments } from './yaml-nodes.ts'

const NEWEST = `${GROUP}/${SERVED_VERSIONS.at(-1)}`

/** A manifest that cannot be rewritten; the message says why. */
class RewriteError extends Error {
  override readonly name = 'RewriteError'
}

/**
 * A YAML text with its Facilitators and ChannelPools in present names and in the newest version. Every other object,
 * comments and formatting stay. Throws RewriteError when the result would not mean the same, and YAMLException.
 */
export function rewriteManifests(text: string): string {
  const objects = yamlDocuments(text).flatMap(itemsOf)
  const after = applyEdits(
    text,
    objects.flatMap((object) => editsOf(text, object)),
  )
  if (!meanTheSame(text, after)) {
    throw new RewriteError(
      'The manifest has a form that this command does not rewrite, such as an alias of YAML: use the names of docs/resources.md.',
    )
  }
  return after
}

function meanTheSame(before: string, after: string): boolean {
  const meaning = meaningOf(before)
  try {
    return isDeepStrictEqual(meaning, meaningOf(after))
  } catch {
    return false
  }
}

/** The objects of a document, those of a `kind: List` one by one. */
function itemsOf(document: YamlNode): readonly YamlNode[] {
  const items = memberOf(document, 'items')?.value
  return items?.kind === 'list' ? items.items : [document]
}

const textAt = (node: YamlNode | undefined): string | undefined =>
  node?.kind === 'scalar' ? node.text : undefined

function editsOf(source: string, object: YamlNode): readonly Edit[] {
  const version = memberOf(object, 'apiVersion')?.value
  if (!version || ![API_VERSION, NEWEST].includes(textAt(version) ?? '')) return []
  const spec = memberOf(object, 'spec')?.value
  const kind = textAt(memberOf(object, 'kind')?.value)
  return [
    replaced(version, source[version.start] === '"' ? `"${NEWEST}"` : NEWEST),
    ...on(memberOf(spec, 'databaseSecretRef'), (member) =>
      nested(source, member, ['database', 'secretRef']),
    ),
    ...(kind === 'Facilitator' ? facilitatorEdits(source, spec) : []),
  ]
}

const on = (member: Member | undefined, edits: (member: Member) => readonly Edit[]) =>
  member ? edits(member) : []

function facilitatorEdits(source: string, spec: YamlNode | undefined): readonly Edit[] {
  const inside = (outer: string, name: string) => memberOf(memberOf(spec, outer)?.value, name)
  const networks = memberOf(spec, 'networks')?.value
  const peers = ['-', 'namespaceSelector', 'matchLabels']
  return [
    ...on(memberOf(spec, 'pods'), (member) => rewrittenPods(source, member)),
    ...on(inside('autoscale', 'min'), (member) => [renamed(source, member, 'minReplicas')]),
    ...on(inside('autoscale', 'max'), (member) => [renamed(source, member, 'maxReplicas')]),
    ...on(inside('route', 'host'), (member) => nested(source, member, ['hosts', '-'])),
    ...on(inside('route', 'gatewayRef'), (member) => nested(source, member, ['parentRefs', '-'])),
    ...on(inside('networkPolicy', 'clientNamespaces'), (member) =>
      nested(source, member, ['clients', ...peers]),
    ),
    ...on(inside('networkPolicy', 'monitoringNamespaces'), (member) =>
      nested(source, member, ['monitoring', ...peers]),
    ),
    ...(networks?.kind === 'list' ? networks.items : []).flatMap((network) =>
      on(memberOf(network, 'requireApiKey'), (member) => [
        renamed(source, member, 'access'),
        replaced(member.value, accessOf(source, member)),
      ]),
    ),
  ]
}

/** In quotes where the name is: JSON has no bare words. */
function accessOf(source: string, { key, value }: Member): string {
  const access = textAt(value) === 'true' ? 'ApiKeys' : 'Everyone'
  return source[key.start] === '"' ? `"${access}"` : access
}

/** What the operator reads of each object of ours, whatever its names. */
function meaningOf(text: string): readonly unknown[] {
  return loadAll(text).flatMap((document) => {
    const { kind, items } = Object(document) as { kind?: unknown; items?: unknown }
    return (kind === 'List' && Array.isArray(items) ? items : [document]).map(specOf)
  })
}

function specOf(object: unknown): unknown {
  const { apiVersion, kind, ...rest } = Object(object) as Record<string, unknown>
  if (apiVersion !== API_VERSION && apiVersion !== NEWEST) return object
  if (kind === 'Facilitator') return effectiveFacilitator(facilitator.parse(rest))
  return kind === 'ChannelPool' ? effectiveChannelPool(channelPool.parse(rest)) : object
}
