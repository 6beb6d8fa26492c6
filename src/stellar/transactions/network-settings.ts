import { xdr } from '@stellar/stellar-sdk'
import type { StellarRpc } from '../rpc/rpc.ts'

export type Settings = readonly xdr.ConfigSettingEntry[]
export type SettingName = xdr.ConfigSettingEntry['type']
type Setting<Name extends SettingName> = Extract<xdr.ConfigSettingEntry, { readonly type: Name }>

/** The settings of the network that have these names, as far as it has them. Throws RpcError. */
export async function readSettings(
  rpc: Pick<StellarRpc, 'ledgerEntries'>,
  names: readonly SettingName[],
  signal?: AbortSignal,
): Promise<Settings> {
  const { entries } = await rpc.ledgerEntries(names.map(keyOf), signal)
  return entries.flatMap(({ xdr: base64 }) => {
    const data = xdr.LedgerEntryData.fromXdr(base64, 'base64')
    return data.type === 'configSetting' ? [data.configSetting] : []
  })
}

const keyOf = (name: SettingName): string =>
  xdr.LedgerKey.configSetting(
    new xdr.LedgerKeyConfigSetting({ configSettingId: xdr.ConfigSettingId[name] }),
  ).toXdr('base64')

/** Throws Error when the network lacks it. */
export function settingOf<Name extends SettingName>(settings: Settings, name: Name): Setting<Name> {
  const found = settings.find((setting): setting is Setting<Name> => setting.type === name)
  if (!found) throw new Error(`the network has no ${name}`)
  return found
}
