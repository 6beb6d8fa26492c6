import type { NetworkId } from '../../platform/core/caip2.ts'

const isLoopback = (url: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname)

/** Why plain http to these endpoints is refused, to follow "must be"; undefined where it is not. */
export function plainHttpProblem(
  urls: readonly string[],
  id: NetworkId,
  allowHttp: { readonly isSet: boolean; readonly how: string },
): string | undefined {
  const plain = urls.filter((url) => /^http:/i.test(url))
  if (plain.length === 0) return undefined
  if (id === 'stellar:pubnet') return 'https on the public network'
  if (allowHttp.isSet || plain.every(isLoopback)) return undefined
  return `https, unless it is on this machine or ${allowHttp.how}`
}
