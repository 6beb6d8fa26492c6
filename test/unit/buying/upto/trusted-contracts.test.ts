import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Address, xdr } from '@stellar/stellar-sdk'
import { expect, test } from 'vitest'
import { RefusedOffer } from '../../../../src/buying/signers/refused-offer.ts'
import {
  contractsWithOurCode,
  listedContracts,
} from '../../../../src/buying/upto/trusted-contracts.ts'
import { contractInstanceKey } from '../../../../src/stellar/contracts/contract-ttl.ts'
import { UPTO_CODE_HASH } from '../../../../src/stellar/contracts/upto-code-hash.ts'
import { RpcError } from '../../../../src/stellar/rpc/rpc.ts'
import { contract, usdc } from './offer.ts'

const wasm = (hash: string) =>
  xdr.ContractExecutable.contractExecutableWasm(new Uint8Array(Buffer.from(hash, 'hex')))

/** An endpoint on whose ledger a contract runs this; counts its requests. */
function ledgerWith(executable: xdr.ContractExecutable | undefined, of = contract) {
  let requests = 0
  const ledgerEntries = async () => {
    requests++
    if (!executable) return { latestLedger: 9, entries: [] }
    const data = new xdr.ContractDataEntry({
      ext: xdr.ExtensionPoint.v0(),
      contract: Address.fromString(of).toScAddress(),
      key: xdr.ScVal.scvLedgerKeyContractInstance(),
      durability: xdr.ContractDataDurability.persistent,
      val: xdr.ScVal.scvContractInstance(new xdr.ScContractInstance({ executable, storage: null })),
    })
    const entry = xdr.LedgerEntryData.contractData(data).toXdr('base64')
    return { latestLedger: 9, entries: [{ key: contractInstanceKey(of), xdr: entry }] }
  }
  return { rpc: { ledgerEntries }, requests: () => requests }
}

test('the hash is that of the contract in this repository', () => {
  const code = readFileSync(new URL('../../../../contracts/upto/upto.wasm', import.meta.url))
  expect(UPTO_CODE_HASH).toBe(createHash('sha256').update(code).digest('hex'))
})

test('trusts a contract with our code, and asks for it once', async () => {
  const { rpc, requests } = ledgerWith(wasm(UPTO_CODE_HASH))
  const check = contractsWithOurCode(rpc)
  await check(contract)
  await check(contract)
  expect(requests()).toBe(1)
})

test.each([
  ['other code', ledgerWith(wasm('ab'.repeat(32))), /runs other code \(abab/],
  [
    'a contract of the host',
    ledgerWith(xdr.ContractExecutable.contractExecutableStellarAsset()),
    /is built into the network/,
  ],
  ['no contract', ledgerWith(undefined), /is not on the ledger/],
  ['an answer about another contract', ledgerWith(wasm(UPTO_CODE_HASH), usdc), /not on the ledger/],
])('refuses %s, however often it is asked', async (_what, { rpc }, message) => {
  const check = contractsWithOurCode(rpc)
  await expect(check(contract)).rejects.toThrow(RefusedOffer)
  await expect(check(contract)).rejects.toThrow(message)
})

test('refuses when the endpoint does not answer', async () => {
  const ledgerEntries = async () => {
    throw new RpcError('transport', 'getLedgerEntries', 'no answer')
  }
  await expect(contractsWithOurCode({ ledgerEntries })(contract)).rejects.toThrow('cannot be read')
})

test('a list trusts what it lists, and nothing else', async () => {
  const check = listedContracts([contract])
  await check(contract)
  await expect(check(usdc)).rejects.toThrow(/not among those that the option contracts lists/)
})
