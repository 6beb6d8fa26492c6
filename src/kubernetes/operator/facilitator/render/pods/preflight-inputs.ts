import { variablePrefixes } from '../../../../../platform/core/caip2.ts'
import { canonicalHash } from '../../../../../platform/core/text/canonical-json.ts'
import { perNetworkSettings, processSettings } from '../../../../../settings/rows/processes.ts'
import { podTemplateOf } from '../../../alerts/pod-template.ts'
import type { DesiredFacilitator } from '../../desired/desired.ts'
import { partsOf } from '../../spec/parts.ts'
import { secretFilesOf } from '../../spec/secret-files.ts'
import { secretHash } from './deployment.ts'
import { environmentOf } from './environment.ts'

/** The definition has checked their values. */
const withoutEffect: ReadonlySet<string> = new Set(
  Object.entries({ ...processSettings.facilitator, ...perNetworkSettings }).flatMap(
    ([name, row]) => ('preflight' in row ? [name] : []),
  ),
)

const prefixes = Object.values(variablePrefixes)

const isWithoutEffect = (variable: string): boolean => {
  const prefix = prefixes.find((each) => each !== '' && variable.startsWith(each)) ?? ''
  return withoutEffect.has(variable.slice(prefix.length))
}

/** SHA-256 of everything that the result of a preflight depends on, but for the state of the database and the ledger. */
export function preflightHash(desired: DesiredFacilitator): string {
  const { facilitator, networks, image } = desired
  const [part] = partsOf(facilitator)
  if (!part) throw new TypeError('every Facilitator has facilitator pods')
  const pools = networks.map(({ pool }) => pool)
  const secrets = secretHash(secretFilesOf(part.name, facilitator, pools), desired)
  const settings = Object.entries(environmentOf(part.name, desired)).filter(
    ([variable]) => !isWithoutEffect(variable),
  )
  return canonicalHash([
    image.reference,
    Object.fromEntries(settings),
    secrets,
    podTemplateOf(facilitator),
  ])
}
