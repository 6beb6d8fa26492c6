import { isHttpUrl, splitList } from '../../../settings/rows/kinds.ts'
import { plainHttpProblem } from '../../../stellar/rpc/plain-http.ts'
import {
  parseRpcHeaders,
  RPC_HEADERS_FORM,
  type RpcHeader,
} from '../../../stellar/rpc/rpc-headers.ts'
import type { ChannelPool } from '../../crd/channel-pool.ts'
import type { SecretKey } from '../../crd/fields/fields.ts'

/* The RPC endpoints of a ChannelPool: its spec has them, or Secrets that the spec names. */

/** The Secrets of the endpoints. */
export const rpcSecretRefs = ({ spec: { rpc } }: ChannelPool): readonly SecretKey[] =>
  [rpc.secretRef, rpc.headersSecretRef].filter((ref) => ref !== undefined)

export interface RpcEndpoints {
  readonly urls: readonly string[]
  readonly headers: readonly RpcHeader[]
}

/** Why there are no endpoints: a sentence, without anything of the values. */
export interface RpcProblem {
  readonly reason: 'RpcSecretMissing' | 'RpcSecretInvalid'
  readonly message: string
}

const MAX_URLS = 8
const MAX_URL_LENGTH = 512
/** Longer headers would be refused by most servers. */
const MAX_HEADERS_LENGTH = 8_192

/** @param read the value of a key of a Secret; undefined without it */
export function rpcEndpoints(
  { spec: { network, rpc } }: ChannelPool,
  read: (ref: SecretKey) => string | undefined,
): RpcEndpoints | RpcProblem {
  const { secretRef, headersSecretRef, allowHttp } = rpc
  const absent = [secretRef, headersSecretRef].find((ref) => ref && read(ref) === undefined)
  if (absent) {
    const holds = absent === secretRef ? 'URLs' : 'headers'
    const message = `There is no ${nameOf(absent)}, with the ${holds} of the RPC endpoints: create it.`
    return { reason: 'RpcSecretMissing', message }
  }
  const urls = secretRef ? splitList(read(secretRef) ?? '') : (rpc.urls ?? [])
  const problem = secretRef && urlProblem(urls, network, allowHttp)
  if (problem) return invalid(`${nameOf(secretRef)} ${problem}.`)
  const text = (headersSecretRef && read(headersSecretRef)) ?? ''
  const headers = text.length > MAX_HEADERS_LENGTH ? undefined : parseRpcHeaders(text)
  if (headersSecretRef && (!headers || headers.length === 0)) {
    return invalid(`${nameOf(headersSecretRef)} does not hold ${RPC_HEADERS_FORM}: correct it.`)
  }
  const origins = urls.map((url) => URL.parse(url)?.origin)
  if (headersSecretRef && headers?.some(({ origin }) => !origins.includes(origin))) {
    return invalid(`${nameOf(headersSecretRef)} names an origin of no RPC endpoint: correct it.`)
  }
  return { urls, headers: headers ?? [] }
}

const nameOf = ({ name, key }: SecretKey): string => `Secret ${name}, key ${key}`

const invalid = (message: string): RpcProblem => ({ reason: 'RpcSecretInvalid', message })

/** To follow the name of the Secret. */
function urlProblem(
  urls: readonly string[],
  network: ChannelPool['spec']['network'],
  allowHttp: boolean,
): string | undefined {
  const isUsable = (url: string) => url.length <= MAX_URL_LENGTH && isHttpUrl(url)
  if (urls.length === 0 || urls.length > MAX_URLS || !urls.every(isUsable)) {
    return `does not hold 1 to ${MAX_URLS} http(s) URLs of at most ${MAX_URL_LENGTH} characters with commas between them: correct it`
  }
  const how = 'spec.rpc.allowHttp is true'
  const plain = plainHttpProblem(urls, network, { isSet: allowHttp, how })
  return plain && `holds a URL with http: it must be ${plain}`
}

/** Where an administrator corrects the endpoints. */
export const rpcSourceOf = ({ rpc }: ChannelPool['spec']): string =>
  rpc.secretRef ? `what ${nameOf(rpc.secretRef)} holds` : 'spec.rpc.urls'
