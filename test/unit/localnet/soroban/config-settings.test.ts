import { xdr } from '@stellar/stellar-sdk'
import { expect, test } from 'vitest'
import { configSettings } from '../../../../src/localnet/genesis/config-settings.ts'
import { SorobanHost } from '../../../../src/localnet/soroban/host.ts'

const host = SorobanHost.load(() => undefined)
const costParams = host.costParams()

const decode = (limits?: 'testnet' | 'none') =>
  configSettings({ costParams, ...(limits && { limits }) }).map(({ key, entry }) => {
    const ledgerKey = xdr.LedgerKey.fromXdr(key)
    const { data } = xdr.LedgerEntry.fromXdr(entry)
    if (ledgerKey.type !== 'configSetting' || data.type !== 'configSetting') {
      throw new Error(`${ledgerKey.type} holds ${data.type}`)
    }
    return { id: ledgerKey.configSetting.configSettingId.toString(), setting: data.configSetting }
  })

test('the host has the protocol of the settings', () => {
  expect(host.protocol).toBe(29)
})

test('every setting that is a ledger entry exists once, under its key', () => {
  const settings = decode()
  expect(settings).toHaveLength(19)
  expect(new Set(settings.map(({ id }) => id)).size).toBe(19)
})

test('metering has a price for every cost of the host', () => {
  const prices = decode().flatMap(({ setting }) =>
    setting.type === 'configSettingContractCostParamsCpuInstructions'
      ? setting.contractCostParamsCpuInsns
      : [],
  )
  expect(prices.length).toBeGreaterThan(80)
  expect(prices.filter(({ constTerm, linearTerm }) => constTerm < 0n || linearTerm < 0n)).toEqual(
    [],
  )
})

test('raised limits keep prices and the limits of a transaction', () => {
  const compute = (limits: 'testnet' | 'none') =>
    decode(limits).flatMap(({ setting }) =>
      setting.type === 'configSettingContractComputeV0' ? [setting.contractCompute] : [],
    )[0]
  expect(compute('none')).toMatchObject({
    txMaxInstructions: compute('testnet')?.txMaxInstructions,
    feeRatePerInstructionsIncrement: 7n,
  })
  expect(compute('none')?.ledgerMaxInstructions).toBeGreaterThan(
    compute('testnet')?.ledgerMaxInstructions ?? 0n,
  )
})
