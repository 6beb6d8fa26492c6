import { z } from 'zod'
import { isNetworkId, type NetworkId, networkIds } from '../../platform/core/caip2.ts'
import { didYouMean } from '../../platform/core/text/nearest-word.ts'
import { printable } from '../../platform/core/text/printable.ts'
import { splitList } from './kinds.ts'
import type { Kind } from './row.ts'

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
