/** What the `__check_auth` of a contract account takes as its signature, as the contract itself declares. */
import { contract, xdr } from '@stellar/stellar-sdk'
import { contractCode } from '../../stellar/contracts/contract-code.ts'
import { contractCodeKey } from '../../stellar/contracts/contract-work.ts'
import type { StellarRpc } from '../../stellar/rpc/rpc.ts'
import { AccountRefusal } from './account-refusal.ts'

/**
 * `ed25519`: a list of maps of `public_key` and `signature`, as a classic account has it. `passkey`: the assertion of a passkey. `context_rules`: an
 * `AuthPayload`, as accounts of OpenZeppelin's kind have it (https://docs.openzeppelin.com/stellar-contracts/accounts/signers-and-verifiers).
 */
export type SignatureForm = 'ed25519' | 'passkey' | 'context_rules'

/** By the members of the structure, in the order of their names. */
const structures: Readonly<Record<string, SignatureForm>> = {
  'authenticator_data,client_data,signature': 'passkey',
  'context_rule_ids,signers': 'context_rules',
}
const LISTED = 'public_key,signature'

/** Throws AccountRefusal for a contract (`C...`) that is not on the ledger, or takes none of these; and `RpcError`. */
export async function signatureForm(
  rpc: Pick<StellarRpc, 'ledgerEntries'>,
  account: string,
): Promise<SignatureForm> {
  const code = await contractCode(rpc, account)
  if (code === undefined) {
    throw new AccountRefusal('no_account', `the contract account ${account} is not on the ledger`)
  }
  const wasm = code.kind === 'wasm' ? await readWasm(rpc, code.hash) : undefined
  const form = wasm && formIn(wasm)
  if (form) return form
  throw new AccountRefusal(
    'wrong_key',
    `the contract ${account} takes no signature of a kind that this client makes`,
  )
}

async function readWasm({ ledgerEntries }: Pick<StellarRpc, 'ledgerEntries'>, hash: string) {
  const key = contractCodeKey(hash)
  const { entries } = await ledgerEntries([key])
  const entry = entries.find((each) => each.key === key)
  const data = entry && xdr.LedgerEntryData.fromXdr(entry.xdr, 'base64')
  return data?.type === 'contractCode' ? data.contractCode.code : undefined
}

function formIn(wasm: Uint8Array): SignatureForm | undefined {
  const { entries } = contract.Spec.fromWasm(wasm)
  const type = entries
    .flatMap((each) => (each.type === 'scSpecEntryFunctionV0' ? [each.functionV0] : []))
    .find(({ name }) => name.toString() === '__check_auth')?.inputs[1]?.type
  const membersOf = (given: xdr.ScSpecTypeDef | undefined): string | undefined => {
    if (given?.type !== 'scSpecTypeUdt') return undefined
    const name = given.udt.name.toString()
    return entries
      .flatMap((each) => (each.type === 'scSpecEntryUdtStructV0' ? [each.udtStructV0] : []))
      .find((each) => each.name.toString() === name)
      ?.fields.map((field) => field.name.toString())
      .sort()
      .join()
  }
  if (type?.type === 'scSpecTypeVec') {
    return membersOf(type.vec.elementType) === LISTED ? 'ed25519' : undefined
  }
  return structures[membersOf(type) ?? '']
}
