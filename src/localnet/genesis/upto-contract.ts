/** The settlement contract of the scheme `upto`, which a network has from its first ledger on. */
import { readFileSync } from 'node:fs'
import { Contract, StrKey, xdr } from '@stellar/stellar-sdk'
import { scAddressOf } from '../ledger/account-id.ts'
import { sha256 } from '../ledger/header.ts'
import { rootId } from '../root-account.ts'

/** The Wasm of the settlement contract, built by `contracts/upto/build.sh`. */
export const uptoWasm = (): Uint8Array =>
  readFileSync(new URL('../../../contracts/upto/upto.wasm', import.meta.url))

const SALT = sha256(Buffer.from('upto'))

/** The root account deploys it. The id depends on the network alone, so that it stays when the contract changes. */
export const uptoPreimage = (networkId: Uint8Array): xdr.ContractIdPreimage =>
  xdr.ContractIdPreimage.contractIdPreimageFromAddress(
    new xdr.ContractIdPreimageFromAddress({ address: scAddressOf(rootId(networkId)), salt: SALT }),
  )

/** `C...` of the contract on the embedded network with this passphrase. */
export function uptoContract(passphrase: string): string {
  const networkId = sha256(Buffer.from(passphrase))
  const preimage = xdr.HashIdPreimage.envelopeTypeContractId(
    new xdr.HashIdPreimageContractId({ networkId, contractIdPreimage: uptoPreimage(networkId) }),
  )
  return StrKey.encodeContract(sha256(preimage.toXdr()))
}

/** LedgerKey XDR of a contract's instance. */
export const instanceKey = (contract: string): Uint8Array =>
  new Contract(contract).getFootprint().toXdr()
