/**
 * The rules of an account of OpenZeppelin's kind. Each says for which calls it is, who signs, and which policies have to agree:
 * https://docs.openzeppelin.com/stellar-contracts/accounts/context-rules. The signature names one for each call.
 */
import { Address, xdr } from '@stellar/stellar-sdk'
import { addressOf } from '../../stellar/accounts/strkey.ts'
import type { Simulation, StellarRpc } from '../../stellar/rpc/rpc.ts'
import type { AccountKey } from './account-key.ts'
import { AccountRefusal } from './account-refusal.ts'
import { addressValue, callOf, envelopeOf } from './authorized-call.ts'
import { isSame, itemsOf, memberOf, structValue, variantValue } from './sc-values.ts'
import { whyItFailed } from './why-it-failed.ts'

type Rpc = Pick<StellarRpc, 'latestLedger' | 'simulate'>

/** A rule for one call, and who of its signers the key is. */
export interface ChosenRule {
  readonly id: number
  /** `Signer` of the contract: `Delegated(address)` or `External(verifier, key)`. */
  readonly signer: xdr.ScVal
}

interface Rule extends ChosenRule {
  /** `ContextRule` of the contract. */
  readonly value: xdr.ScVal
  readonly policies: readonly string[]
}

/** An account has 15 at most, but the number of a rule that was removed is not given again. */
const MAX_RULE_ID = 100

/**
 * The newest rule for each call that the key alone may use, and whose policies agree to the call now. Throws AccountRefusal when there is
 * none, and `RpcError`.
 */
export async function chooseRules(
  rpc: Rpc,
  account: string,
  key: AccountKey,
  calls: readonly xdr.InvokeContractArgs[],
): Promise<readonly ChosenRule[]> {
  const [rules, { sequence }] = await Promise.all([readRules(rpc, account), rpc.latestLedger()])
  const valid = rules.filter((rule) => isValidIn(sequence, rule))
  const chosen: ChosenRule[] = []
  for (const call of calls)
    chosen.push(await choose(rpc, account, rulesFor(valid, key, call), call))
  return chosen
}

async function choose(
  rpc: Rpc,
  account: string,
  rules: readonly Rule[],
  call: xdr.InvokeContractArgs,
): Promise<ChosenRule> {
  let refused: AccountRefusal | undefined
  for (const rule of rules) {
    const problem = await policyProblem(rpc, account, rule, call)
    if (problem === undefined) return rule
    refused ??= new AccountRefusal('policy_refused', `${problem}, in rule ${rule.id} of ${account}`)
  }
  const called = `${call.functionName} of ${Address.fromScAddress(call.contractAddress)}`
  throw (
    refused ??
    new AccountRefusal(
      'wrong_key',
      `no rule of the account ${account} lets this key alone call ${called}`,
    )
  )
}

/** The policies are asked as the account would ask them, which changes nothing. @returns what the first one that refuses says */
async function policyProblem(
  rpc: Rpc,
  account: string,
  { value, signer, policies }: Rule,
  call: xdr.InvokeContractArgs,
): Promise<string | undefined> {
  const context = variantValue(
    'Contract',
    structValue({
      args: xdr.ScVal.scvVec(call.args),
      contract: xdr.ScVal.scvAddress(call.contractAddress),
      fn_name: xdr.ScVal.scvSymbol(call.functionName),
    }),
  )
  for (const policy of policies) {
    const args = [context, xdr.ScVal.scvVec([signer]), value, addressValue(account)]
    const asked = await rpc.simulate(envelopeOf(callOf(policy, 'enforce', args)))
    if (asked.kind === 'failed') {
      return `the policy ${policy} refuses the payment with ${whyItFailed(asked).error}`
    }
  }
  return undefined
}

/** Newest first. */
async function readRules(rpc: Rpc, account: string): Promise<readonly xdr.ScVal[]> {
  const counted = returned(await rpc.simulate(read(account, 'get_context_rules_count')))
  if (counted?.type !== 'scvU32') {
    throw new AccountRefusal('wrong_key', `the account ${account} does not say what its rules are`)
  }
  const rules: xdr.ScVal[] = []
  for (let id = 0; id <= MAX_RULE_ID && rules.length < counted.u32; id++) {
    const rule = returned(
      await rpc.simulate(read(account, 'get_context_rule', xdr.ScVal.scvU32(id))),
    )
    if (rule) rules.unshift(rule)
  }
  return rules
}

const read = (account: string, functionName: string, ...args: xdr.ScVal[]): string =>
  envelopeOf(callOf(account, functionName, args))

const returned = (simulation: Simulation): xdr.ScVal | undefined =>
  simulation.kind === 'ok' && simulation.returnValueXdr !== undefined
    ? xdr.ScVal.fromXdr(simulation.returnValueXdr, 'base64')
    : undefined

function isValidIn(ledger: number, rule: xdr.ScVal): boolean {
  const last = memberOf(rule, 'valid_until')
  return last?.type !== 'scvU32' || last.u32 >= ledger
}

/** Those of which the key is a signer; without policies every signer of a rule has to sign, so then the only one. */
const rulesFor = (
  rules: readonly xdr.ScVal[],
  key: AccountKey,
  { contractAddress }: xdr.InvokeContractArgs,
): readonly Rule[] => {
  const types = [
    variantValue('Default'),
    variantValue('CallContract', xdr.ScVal.scvAddress(contractAddress)),
  ]
  return rules.flatMap((value) => {
    const [id, type] = [memberOf(value, 'id'), memberOf(value, 'context_type')]
    const signers = itemsOf(memberOf(value, 'signers'))
    const policies = itemsOf(memberOf(value, 'policies')).flatMap((each) =>
      each.type === 'scvAddress' ? [Address.fromScVal(each).toString()] : [],
    )
    const signer = signers.find((each) => isOf(each, key))
    const isFor = type !== undefined && types.some((each) => isSame(each, type))
    const isEnough = policies.length > 0 || signers.length === 1
    return id?.type === 'scvU32' && signer && isFor && isEnough
      ? [{ id: id.u32, value, signer, policies }]
      : []
  })
}

/** A verifier of passkeys may take more than the key, such as the credential's id behind it. */
function isOf(signer: xdr.ScVal, { algorithm, publicKey }: AccountKey): boolean {
  const [name, first, second] = itemsOf(signer)
  const variant = name?.type === 'scvSymbol' ? name.sym.toString() : ''
  if (variant === 'Delegated') {
    return algorithm === 'ed25519' && !!first && isSame(first, addressValue(addressOf(publicKey)))
  }
  if (variant !== 'External' || second?.type !== 'scvBytes') return false
  const held = second.bytes.toBytes()
  const compared = algorithm === 'p256' ? held.subarray(0, publicKey.length) : held
  return Buffer.compare(compared, publicKey) === 0
}
