/** Parses a request to the API server into the terms of RBAC rules. */

export interface ApiCall {
  /** As RBAC names it: get, list, watch, create, update, patch, delete, deletecollection. */
  readonly verb: string
  /** Empty for the core group, and for paths without a resource. */
  readonly apiGroup: string
  /** Plural; empty for a path without a resource, such as /version. */
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** With the query. */
  readonly path: string
  readonly userAgent: string
  /** Owns the written fields; empty for reads. */
  readonly fieldManager: string
  /** The content type of the request, without parameters: distinguishes an apply from other patches. */
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
  const isWrite = method in verbs
  return {
    ...target,
    verb:
      verbs[method] ?? readVerb(method, target.resource !== '' && target.name === '', searchParams),
    path: url,
    userAgent,
    // The API server's default: the user agent up to the first slash.
    fieldManager: isWrite
      ? (searchParams.get('fieldManager') ?? userAgent.split('/')[0] ?? '')
      : '',
    contentType: String(headers['content-type'] ?? '').split(';')[0] ?? '',
  }
}

function readVerb(method: string, isCollection: boolean, query: URLSearchParams): string {
  if (method === 'DELETE') return isCollection ? 'deletecollection' : 'delete'
  if (['1', 'true'].includes(query.get('watch') ?? '')) return 'watch'
  return isCollection ? 'list' : 'get'
}

/** `/api/v1/…` and `/apis/GROUP/VERSION/…`, then `[namespaces/NS/]RESOURCE[/NAME[/SUBRESOURCE]]`. */
function readPath(pathname: string) {
  const nothing = { apiGroup: '', resource: '', subresource: '', namespace: '', name: '' }
  const parts = pathname.split('/').filter((part) => part !== '')
  const isCore = parts[0] === 'api'
  if (!isCore && parts[0] !== 'apis') return nothing
  const apiGroup = isCore ? '' : (parts[1] ?? '')
  const rest = parts.slice(isCore ? 2 : 3)
  // A namespace is a resource itself; its name is followed by a resource in it or by one of its subresources.
  const isInside = rest[0] === 'namespaces' && !['', 'status', 'finalize'].includes(rest[2] ?? '')
  const namespace = isInside ? (rest[1] ?? '') : ''
  const [resource = '', name = '', subresource = ''] = isInside ? rest.slice(2) : rest
  return { apiGroup, resource, subresource, namespace, name }
}
