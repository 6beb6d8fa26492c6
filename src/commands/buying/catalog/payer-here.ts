import type { KnownPayer } from '../../../buying/listings/listing-facts.ts'
import { keyVariables } from '../buyer-variables.ts'
import { rpcOf } from '../pay/words.ts'

/** What the variables name of a payer, so that a command need not. */
export const payerHere = (variables: Readonly<Record<string, string | undefined>>): KnownPayer => ({
  hasSeed: [...keyVariables.map(([name]) => name), 'BUYER_SECRET_FILE'].some(
    (name) => variables[name],
  ),
  hasRpc: (network) => rpcOf(network, undefined, variables, true) !== undefined,
})
