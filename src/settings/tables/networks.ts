import { z } from 'zod'
import {
  isNetworkId,
  type NetworkId,
  networkIds,
  variablePrefixes,
} from '../../platform/core/caip2.ts'
import { didYouMean, nearestWord } from '../../platform/core/text/nearest-word.ts'
import { printable } from '../../platform/core/text/printable.ts'
import type { Variables } from '../parser/environment.ts'
import { type Kind, splitList } from '../parser/values.ts'

const LIST = `one or more of ${networkIds.join(', ')}`

/** The networks of `NETWORKS`, in its order and without duplicates. */
export const networks: Kind<readonly NetworkId[]> = {
  schema: z
    .string()
    .default('stellar:testnet')
    .transform((text, context) => {
      const names = splitList(text)
      if (names.length === 0) {
        context.addIssue({ code: 'custom', message: `must be ${LIST} with commas between them` })
      }
      for (const name of names.filter((each) => !isNetworkId(each))) {
        context.addIssue({ code: 'custom', message: unknownNetwork(name) })
      }
      return [...new Set(names.filter(isNetworkId))]
    }),
  fallback: 'stellar:testnet',
  range: LIST,
}

const unknownNetwork = (name: string): string => {
  const meant = didYouMean(name, networkIds)
  const known = meant === '' ? `: it takes ${LIST}` : meant
  return `names "${printable(name)}", which is no network that svc serves${known}`
}

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
