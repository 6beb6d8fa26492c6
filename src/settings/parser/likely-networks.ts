import {
  isNetworkId,
  type NetworkId,
  networkIds,
  variablePrefixes,
} from '../../platform/core/caip2.ts'
import { nearestWord } from '../../platform/core/text/nearest-word.ts'
import { splitList } from '../rows/kinds.ts'
import type { Variables } from './environment.ts'

/**
 * The networks whose settings to check although `NETWORKS` is wrong: those that it names or nearly names, else
 * those that have variables of their own. So the first run lists every problem.
 */
export function likelyNetworks(variables: Variables): readonly NetworkId[] {
  const named = splitList(variables['NETWORKS'] ?? '').flatMap((name) => {
    const meant = nearestWord(name, networkIds)
    return meant !== undefined && isNetworkId(meant) ? [meant] : []
  })
  if (named.length > 0) return [...new Set(named)]
  const names = Object.keys(variables).filter((name) => variables[name])
  return networkIds.filter((id) => names.some((name) => name.startsWith(variablePrefixes[id])))
}
