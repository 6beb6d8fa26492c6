/** The flags of `svc pay`, without what reads them: a help page needs no library of Stellar. */

import { isNetworkId, type NetworkId, networkIds } from '../../../platform/core/caip2.ts'
import { yesFlag } from '../../command-line/confirm.ts'
import {
  choice,
  type Flag,
  type FlagValues,
  flag,
  number,
  text,
  texts,
} from '../../command-line/flags.ts'
import { UsageError } from '../../command-line/usage-error.ts'

/** `testnet` or `stellar:testnet`. */
const buyerNetwork = (help: string): Flag<NetworkId | undefined> => ({
  ...text('ID', help),
  values: networkIds,
  read: (given, name) => {
    const id = given === undefined || given.includes(':') ? given : `stellar:${given}`
    if (id === undefined || isNetworkId(id)) return id
    throw new UsageError(`${name} is one of ${networkIds.join(', ')}, not ${given}`)
  },
})

/** A day: no payment of this buyer is valid for longer than 900 s. */
const MAX_WAIT_S = 86_400

export const payFlags = {
  max: text(
    'AMOUNT',
    'the most to pay, as a decimal of the token; a higher price or ceiling is refused. Needed with a URL',
  ),
  quote: flag('prints the price and signs nothing; needs neither --max nor a seed'),
  network: buyerNetwork('the network to pay on (default: stellar:testnet)'),
  asset: text(
    'CONTRACT',
    'the token to pay in, C...; an offer in any other is refused (default: USDC)',
  ),
  rpc: text('URL', 'Stellar RPC over https; of testnet the public one without it'),
  method: text('METHOD', 'HTTP method (default: GET, with --data POST)'),
  header: texts('"NAME: VALUE"', 'HTTP header of the call; may be repeated'),
  data: text(
    'TEXT',
    'body of the call; JSON is sent as application/json. Of a tool: its arguments, a JSON object',
  ),
  account: text(
    'CONTRACT',
    'pays from this contract account, C...; the seed, or a key in PEM, is that of a signer of it (default: BUYER_ACCOUNT)',
  ),
  'key-file': text('FILE', "the file that holds the payer's seed, instead of BUYER_SECRET"),
  keychain: text('NAME', "the entry of this environment's keychain that holds it: docs/buyers.md"),
  'save-receipt': text(
    'FILE',
    'keeps what the seller has signed, for svc receipt verify; a new file',
  ),
  'budget-file': text(
    'FILE',
    'what was signed, also by svc mcp; processes that pay from one wallet share it (default: in ~/.local/state/svc)',
  ),
  wait: number(
    'SECONDS',
    'the longest wait where an earlier payment for the same call must expire first, after which it ends with 75; 0 waits for nothing (default: twice the time left to it, and 60 s)',
    { min: 0, max: MAX_WAIT_S },
  ),
  json: flag('prints one JSON object, also for a failure'),
  dir: text('DIR', 'the folder of the running demo; by default that of this installation'),
}
export type PayFlags = FlagValues<typeof payFlags>
export const payFlagNames = Object.keys(payFlags) as (keyof typeof payFlags)[]

export const resolveFlags = {
  as: choice(['paid', 'unpaid'], 'of resolve: what you found'),
  yes: yesFlag,
}
