import { Operation, xdr } from '@stellar/stellar-sdk'
import { passphrase } from '../../harness.ts'
import { addressValue, declaring, prepare } from '../../soroban-harness.ts'
import { alice, bob, carol, issuer, UNIT, vault, XLM } from '../accounts.ts'
import {
  calls,
  transferDeclaring as declares,
  kept,
  type Prepare,
  transfer,
  vaultBalance,
} from '../calls.ts'
import { pay } from '../operations.ts'
import { rawTx, resources } from '../raw-envelopes.ts'
import { raw } from '../raw-operations.ts'
import { fails, rejected, rows, succeeds } from '../row.ts'

const paid = 'alice XLM -5, bob XLM +5, alice nonce +1'
/** The account of the payer, and its nonce. */
const changed = 'State account, Updated account, Created contractData, Created ttl'
const saves = 'alice XLM -5, vault XLM +5, vault XLM lives = 518400 ledgers, alice nonce +1'
const ofAlice = calls(transfer({ source: alice }), { source: alice })
const once = kept(transfer())
const toVault = transfer({ to: vault })
const saved = kept(toVault)
/** A transfer of 6 XLM with the authorization of 5. */
const forged: Prepare = async (net) => {
  const [cheap, dear] = [await transfer()(net), await transfer({ amount: 6n * UNIT })(net)]
  const [{ auth }, { hostFunction }] = [cheap, dear].map(({ operation: { body } }) => {
    if (body.type !== 'invokeHostFunction') throw new TypeError(body.type)
    return body.invokeHostFunctionOp
  }) as [xdr.InvokeHostFunctionOp, xdr.InvokeHostFunctionOp]
  return { operation: Operation.invokeHostFunction({ func: hostFunction, auth }), data: cheap.data }
}

/** The transfer with a footprint that writes nothing. */
const onlyReading: Prepare = async (net) => {
  const call = await transfer()(net)
  const { readOnly, readWrite } = call.data.resources.footprint
  const footprint = { readOnly: [...readOnly, ...readWrite], readWrite: [] }
  return declaring(call, { footprint: new xdr.LedgerFootprint(footprint) })
}

const createsAssetContract = rawTx({
  operations: [
    Operation.invokeHostFunction({
      func: xdr.HostFunction.hostFunctionTypeCreateContract(
        new xdr.CreateContractArgs({
          contractIdPreimage: xdr.ContractIdPreimage.contractIdPreimageFromAsset(
            raw.asset('A-B', issuer),
          ),
          executable: xdr.ContractExecutable.contractExecutableStellarAsset(),
        }),
      ),
      auth: [],
    }),
  ],
  bid: 100_100,
  ext: xdr.TransactionExt.sorobanData(resources(0, 100_000n)),
})

const readsVault: Prepare = (net) =>
  prepare(
    net,
    Operation.invokeContractFunction({
      contract: XLM.contractId(passphrase),
      function: 'balance',
      args: [addressValue(vault)],
    }),
    { source: carol },
  )

/** stellar-core, InvokeHostFunctionOpFrame. */
export const invocationRows = rows({
  'CAP-46-11': [
    succeeds('the payer signed, and another account sends it', calls(transfer()), paid),
    succeeds('the payer sends it, which needs no nonce', ofAlice, 'alice XLM -5, bob XLM +5'),
    fails('Trapped', 'its authorization was used', calls(once.again), {
      given: calls(once.prepare),
    }),
    fails('Trapped', 'its authorization is for another amount', calls(forged)),
  ],
  'CAP-46-06': [
    succeeds('a contract is paid', calls(toVault), {
      changes: saves,
      meta: `${changed}, Created contractData, Created ttl`,
    }),
    succeeds('it was simulated after the last ledger', calls(transfer({ amount: 1_800n * UNIT })), {
      given: pay(alice, '900', XLM, bob),
      changes: 'alice XLM -1800, bob XLM +1800, alice nonce +1',
    }),
  ],
  'InvokeHostFunctionOpFrame::doCheckValid': [
    rejected('Malformed', 'it creates the contract of an invalid asset', createsAssetContract),
  ],
  'InvokeHostFunctionOpFrame::doApply': [
    ...[
      { what: 'instructions', declared: { instructions: 1_000 } },
      { what: 'byte-write resources', declared: { writeBytes: 10 } },
      { what: 'byte-read resources', declared: { diskReadBytes: 10 } },
    ].map(({ what, declared }) =>
      fails(
        'ResourceLimitExceeded',
        `it exceeds its ${what}`,
        declares(declared),
        `operation ${what} exceeds amount specified`,
      ),
    ),
    fails('Trapped', 'it writes what its footprint only reads', calls(onlyReading)),
    fails('EntryArchived', 'an entry of its footprint has expired', calls(saved.again), {
      given: calls(saved.prepare),
      archived: [vaultBalance],
      says: 'trying to access an archived contract data entry',
    }),
  ],
  'CAP-66': [
    succeeds('it restores the entry that it writes', calls(toVault), {
      given: calls(toVault),
      archived: [vaultBalance],
      changes: saves,
      meta: `${changed}, Restored contractData, Updated contractData, Restored ttl`,
    }),
    succeeds('it restores the entry that it reads', calls(readsVault), {
      given: calls(toVault),
      archived: [vaultBalance],
      changes: 'vault XLM lives = 518400 ledgers',
      meta: 'Restored contractData, Restored ttl',
    }),
  ],
  'CAP-46-07': [
    fails(
      'InsufficientRefundableFee',
      'its fee leaves nothing for rent and events',
      calls(transfer(), { spare: 0n }),
      'refundable resource fee was not sufficient to cover the ledger storage rent: {} > {}',
    ),
  ],
})
