import { type NetworkId, variablePrefixes } from '../../platform/core/caip2.ts'
import { paymentSettings } from '../../settings/rows/payments.ts'

/** A setting of payments on a network by its variable, and by the field of a Facilitator's network that sets it. */
export function settingName(network: NetworkId, name: keyof typeof paymentSettings): string {
  const row = paymentSettings[name]
  const variable = 'shared' in row ? name : `${variablePrefixes[network]}${name}`
  return 'crd' in row ? `${variable} (${row.crd.path})` : variable
}

/** A member of the accepted assets likewise. */
export const assetField = (network: NetworkId, member: string): string =>
  `${variablePrefixes[network]}ASSETS (assets[].${member})`
