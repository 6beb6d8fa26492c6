/** Reads out of a request line what RBAC rules and API budgets are about. */

export interface ApiCall {
  /** As RBAC names it: get, list, watch, create, update, patch, delete, deletecollection. */
  readonly verb: string
  /** Empty for the core group, and for paths that are no resources. */
  readonly apiGroup: string
  /** Plural; empty when the path is no resource, as /version. */
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** With the query. */
  readonly path: string
  readonly userAgent: string
  /** Who owns the written fields; empty for reads. */
  readonly fieldManager: string
  /** The content type of what is sent, without parameters: tells an apply from other patches. */
  readonly contentType: string
}

interface RequestHead {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
}

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
}

export function readCall({ method = '', url = '/', headers }: RequestHead): ApiCall {
  const { pathname, searchParams } = new URL(url, 'https://cluster')
  const target = readPath(pathname)
  const userAgent = String(headers['user-agent'] ?? '')
  const writes = method in verbs
  return {
    ...target,
    verb:
      verbs[method] ??
      readingVerb(method, target.resource !== '' && target.name === '', searchParams),
    path: url,
    userAgent,
    // The API server's own rule for who names none: the user agent up to the first slash.
    fieldManager: writes ? (searchParams.get('fieldManager') ?? userAgent.split('/')[0] ?? '') : '',
    contentType: String(headers['content-type'] ?? '').split(';')[0] ?? '',
  }
}

function readingVerb(method: string, ofMany: boolean, query: URLSearchParams): string {
  if (method === 'DELETE') return ofMany ? 'deletecollection' : 'delete'
  if (['1', 'true'].includes(query.get('watch') ?? '')) return 'watch'
  return ofMany ? 'list' : 'get'
}

/** `/api/v1/…` and `/apis/GROUP/VERSION/…`, then `[namespaces/NS/]RESOURCE[/NAME[/SUBRESOURCE]]`. */
function readPath(pathname: string) {
  const nothing = { apiGroup: '', resource: '', subresource: '', namespace: '', name: '' }
  const parts = pathname.split('/').filter((part) => part !== '')
  const isCore = parts[0] === 'api'
  if (!isCore && parts[0] !== 'apis') return nothing
  const apiGroup = isCore ? '' : (parts[1] ?? '')
  const rest = parts.slice(isCore ? 2 : 3)
  // A namespace is itself a resource; what follows its name is a resource in it, or one of these two.
  const isInside = rest[0] === 'namespaces' && !['', 'status', 'finalize'].includes(rest[2] ?? '')
  const namespace = isInside ? (rest[1] ?? '') : ''
  const [resource = '', name = '', subresource = ''] = isInside ? rest.slice(2) : rest
  return { apiGroup, resource, subresource, namespace, name }
}
