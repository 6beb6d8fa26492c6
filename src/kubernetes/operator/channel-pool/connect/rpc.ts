import type { ChannelPool } from '../../../crd/channel-pool.ts'
import type { SecretKey } from '../../../crd/fields/fields.ts'
import { type RpcEndpoints, rpcEndpoints, rpcSecretRefs } from '../../references/pool-rpc.ts'
import type { SecretReader } from '../../watches/secrets.ts'
import { PoolBlocked } from './blockers.ts'

/** The input of `openNetwork`. The text holds secrets: it stays in the memory of the process. */
export interface RpcKey extends RpcEndpoints {
  readonly network: ChannelPool['spec']['network']
  readonly allowHttp: boolean
}

export const rpcKey = ({ network, rpc }: ChannelPool['spec'], endpoints: RpcEndpoints): string =>
  JSON.stringify({ network, allowHttp: rpc.allowHttp, ...endpoints } satisfies RpcKey)

export const readRpcKey = (key: string): RpcKey => JSON.parse(key)

/** The endpoints of a pool. Throws `PoolBlocked`. */
export async function readEndpoints(
  secrets: SecretReader,
  pool: ChannelPool,
  signal: AbortSignal,
): Promise<RpcEndpoints> {
  const { namespace } = pool.metadata
  const idOf = ({ name, key }: SecretKey): string => `${name}/${key}`
  const values = new Map<string, string | undefined>()
  for (const ref of rpcSecretRefs(pool)) {
    values.set(idOf(ref), await secrets.read({ namespace, ...ref }, signal))
  }
  const endpoints = rpcEndpoints(pool, (ref) => values.get(idOf(ref)))
  if ('reason' in endpoints) throw new PoolBlocked(endpoints.reason, endpoints.message)
  requireUrls(endpoints.urls)
  return endpoints
}

/** Admission refuses them; an object that was stored before may have one. */
function requireUrls(urls: readonly string[]): void {
  const at = urls.findIndex((url) => !URL.canParse(url))
  if (at < 0) return
  throw new PoolBlocked(
    'RpcUnreachable',
    `spec.rpc.urls[${at}] cannot be read as a URL: correct it.`,
  )
}
