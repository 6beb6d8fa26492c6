import { type NetworkId, variablePrefixes } from '../../platform/core/caip2.ts'
import { plainHttpProblem } from '../../stellar/rpc/plain-http.ts'
import type { Problem } from '../parser/config-error.ts'
import type { ParsedSettings } from '../parser/settings.ts'
import type { networkSettings } from './network-settings.ts'
import { sponsorProblems } from './sponsor-settings.ts'

type NetworkTable = typeof networkSettings

type Rule = (parsed: ParsedSettings<NetworkTable>, id: NetworkId) => Problem | undefined

/** A rule that the first setting is not above the second, when both are valid on their own. */
const ordered =
  (low: OrderedSetting, high: OrderedSetting): Rule =>
  ({ settings, variable }) => {
    const [a, b] = [settings[low], settings[high]]
    if (a === undefined || b === undefined || a <= b) return undefined
    return { variable: variable(low), message: `(${a}) must not be above ${variable(high)} (${b})` }
  }
type OrderedSetting = Extract<keyof NetworkTable, `${string}_STROOPS` | `TIMEOUT_${string}`>

const floorIsBelowTarget: Rule = ({ settings, variable }) => {
  const [floor, target] = [settings.UPTO_TTL_FLOOR_LEDGERS, settings.UPTO_TTL_TARGET_LEDGERS]
  if (floor === undefined || target === undefined || floor < target) return undefined
  return {
    variable: variable('UPTO_TTL_FLOOR_LEDGERS'),
    message: `(${floor}) must be below ${variable('UPTO_TTL_TARGET_LEDGERS')} (${target})`,
  }
}

const rpcIsPrivate: Rule = ({ settings, variable }, id) => {
  const problem = plainHttpProblem(settings.RPC_URL ?? [], id, {
    isSet: settings.ALLOW_HTTP !== false,
    how: `${variable('ALLOW_HTTP')}=true`,
  })
  return problem === undefined
    ? undefined
    : { variable: variable('RPC_URL'), message: `must be ${problem}` }
}

/** A header for another origin would never be sent: most likely one of the two is mistyped. */
const headersHaveEndpoints: Rule = ({ settings, variable }) => {
  const origins = settings.RPC_URL?.map((url) => new URL(url).origin)
  const isElsewhere = settings.RPC_HEADERS?.some(({ origin }) => !origins?.includes(origin))
  if (!origins || !isElsewhere) return undefined
  const message = `names an origin of no endpoint in ${variable('RPC_URL')}`
  return { variable: variable('RPC_HEADERS'), message }
}

/** An open facilitator on the public network spends real money for any caller: that must be explicit. */
const keysAreExplicit: Rule = ({ settings, problems }, id) => {
  if (id !== 'stellar:pubnet' || settings.REQUIRE_API_KEY !== undefined) return undefined
  if (problems.some(({ variable }) => variable.endsWith('REQUIRE_API_KEY'))) return undefined
  return { variable: 'PUBNET_REQUIRE_API_KEY', message: 'must be set, to true or to false' }
}

/** An example value for each required variable. */
const examples: Readonly<Record<NetworkId, Readonly<Record<string, string>>>> = {
  'stellar:testnet': {
    RPC_URL: 'such as https://soroban-testnet.stellar.org',
    SPONSOR_SECRET: 'the seed (S...) of the account that pays the fees',
  },
  'stellar:pubnet': {
    RPC_URL: 'the URL of a provider: https://developers.stellar.org/docs/data/apis/rpc/providers',
    SPONSOR_SECRET: 'the seed (S...) of the account that pays the fees',
  },
}

/** The problems of one network's settings, with an example of what is missing. */
export const withExamples = (id: NetworkId, problems: readonly Problem[]): readonly Problem[] =>
  problems.map(({ variable, message }) => {
    const example = examples[id][variable.slice(variablePrefixes[id].length)]
    return message === 'is required' && example !== undefined
      ? { variable, message: `${message}, ${example}` }
      : { variable, message }
  })

const rules: readonly Rule[] = [
  rpcIsPrivate,
  headersHaveEndpoints,
  keysAreExplicit,
  ordered('INCLUSION_FEE_STROOPS', 'INCLUSION_FEE_CAP_STROOPS'),
  ordered('INCLUSION_FEE_CAP_STROOPS', 'MAX_TX_FEE_STROOPS'),
  ordered('TIMEOUT_MIN_SECONDS', 'TIMEOUT_MAX_SECONDS'),
  floorIsBelowTarget,
]

/** Problems between the settings of one network. */
export const networkProblems = (
  parsed: ParsedSettings<NetworkTable>,
  id: NetworkId,
): readonly Problem[] => [
  ...rules.flatMap((rule) => rule(parsed, id) ?? []),
  ...sponsorProblems(parsed),
]
