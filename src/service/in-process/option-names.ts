import { networkIds, variablePrefixes } from '../../platform/core/caip2.ts'
import { ConfigError } from '../../settings/parser/config-error.ts'
import { networkSettings } from '../../settings/sections/network-settings.ts'
import type { NetworkOptions } from './options.ts'

/** The option of each variable of `svc serve` that an option sets. */
const networkOptions: Readonly<Record<string, keyof NetworkOptions>> = {
  RPC_URL: 'rpcUrls',
  SPONSOR_SECRET: 'sponsorSecret',
  CHANNEL_COUNT: 'channels',
  AUTO_PROVISION_CHANNELS: 'createChannels',
  ASSETS: 'assets',
  UPTO_CONTRACT: 'uptoContract',
  MAX_SPONSOR_SPEND_XLM_PER_HOUR: 'hourlyBudgetXlm',
}

const optionNames: ReadonlyMap<string, string> = new Map([
  ['NETWORKS', 'networks'],
  ['STORE', 'store.kind'],
  ['DATABASE_URL', 'store.url'],
  ['DATABASE_POOL_SIZE', 'store.poolSize'],
  ...networkIds.flatMap((id) =>
    Object.keys(networkSettings).map((name): [string, string] => [
      `${variablePrefixes[id]}${name}`,
      `networks['${id}'].${networkOptions[name] ?? `settings.${name}`}`,
    ]),
  ),
])

const withOptionNames = (text: string): string =>
  text.replace(/\b[A-Z][A-Z\d_]+\b/g, (word) => optionNames.get(word) ?? word)

/** The error of a start, with the options in place of the variables that its message names. */
export function namingOptions(error: unknown): unknown {
  if (error instanceof ConfigError) {
    const problems = error.problems.map(({ variable, message }) => ({
      variable: withOptionNames(variable),
      message: withOptionNames(message),
    }))
    return new ConfigError(problems)
  }
  if (error instanceof Error) error.message = withOptionNames(error.message)
  return error
}
