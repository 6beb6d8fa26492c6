/** The settlement contract of `upto`, which a network has from genesis on. */
import { xdr } from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import {
  instanceKey,
  uptoContract,
  uptoWasm,
} from '../../../../src/localnet/genesis/upto-contract.ts'
import { sha256 } from '../../../../src/localnet/ledger/header.ts'
import { balance, fund, key, openNetwork, passphrase } from '../harness.ts'

const { net } = openNetwork()

describe('the contract of genesis', () => {
  it('has the same address in each network of a passphrase', () => {
    expect(uptoContract(passphrase)).toBe(
      'CAKRVLDLN5DUGADHEQ55ZTDTLFRDKXU7HEGZ7L4UQIVFUJFKFU7YJNPY',
    )
    expect(net.uptoContract).toBe(uptoContract(passphrase))
    const { net: other } = openNetwork({ passphrase: 'another' })
    expect(other.uptoContract).toBe(uptoContract('another'))
    expect(other.uptoContract).not.toBe(net.uptoContract)
  })

  it('has code and instance that live as long as a network allows', () => {
    const hash = sha256(uptoWasm())
    const code = xdr.LedgerKey.contractCode(new xdr.LedgerKeyContractCode({ hash })).toXdr()
    for (const entry of [code, instanceKey(uptoContract(passphrase))]) {
      expect(net.entry(entry)?.liveUntil).toBe(3_110_400)
    }
  })

  it('is missing where the network starts without it', async () => {
    const { net: without } = openNetwork({ upto: false })
    expect(without.uptoContract).toBeUndefined()
    expect(without.entry(instanceKey(uptoContract(passphrase)))).toBeUndefined()
    await without.reset()
    expect(without.uptoContract).toBeUndefined()
  })

  it('stays missing in a ledger that was kept from before it', async () => {
    const snapshot = await openNetwork({ upto: false }).net.snapshot()
    const { net: continued } = openNetwork({ snapshot })
    expect(continued.uptoContract).toBeUndefined()
    await fund(continued, [key(1)])
    expect(balance(continued, key(1))).toBeGreaterThan(0n)
  })
})
