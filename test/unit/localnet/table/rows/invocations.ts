import { Address, Operation, xdr } from '@stellar/stellar-sdk'
import { contractBalanceKey } from '../../../../support/ledger-view.ts'
import { passphrase } from '../../harness.ts'
import { prepare } from '../../soroban-harness.ts'
import { alice, bob, carol, issuer, UNIT, vault, XLM } from '../accounts.ts'
import { calls, transferDeclaring as declares, kept, type Prepare, transfer } from '../calls.ts'
import { pay } from '../operations.ts'
import { rawTx, resources } from '../raw-envelopes.ts'
import { raw } from '../raw-operations.ts'
import { fails, rejected, rows, succeeds } from '../row.ts'

const paid = 'alice XLM -5, bob XLM +5, alice nonce +1'
const ofAlice = calls(transfer({ source: alice }), { source: alice })
const once = kept(transfer())
const toVault = transfer({ to: vault })
const saved = kept(toVault)
const onlyReading = ({ resources: { footprint } }: xdr.SorobanTransactionData) => ({
  footprint: new xdr.LedgerFootprint({
    readOnly: [...footprint.readOnly, ...footprint.readWrite],
    readWrite: [],
  }),
})
const balanceOfVault = xdr.LedgerKey.fromXdr(contractBalanceKey(vault, XLM.contractId(passphrase)))

/** A transfer of 6 XLM with the authorization of 5. */
const forged: Prepare = async (net) => {
  const [cheap, dear] = [await transfer()(net), await transfer({ amount: 6n * UNIT })(net)]
  const [{ auth }, { hostFunction }] = [cheap, dear].map(({ operation: { body } }) => {
    if (body.type !== 'invokeHostFunction') throw new TypeError(body.type)
    return body.invokeHostFunctionOp
  }) as [xdr.InvokeHostFunctionOp, xdr.InvokeHostFunctionOp]
  return { operation: Operation.invokeHostFunction({ func: hostFunction, auth }), data: cheap.data }
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
      args: [Address.fromString(vault).toScVal()],
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
      changes: 'alice XLM -5, vault XLM +5, vault XLM lives = 518400 ledgers, alice nonce +1',
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
    fails(
      'ResourceLimitExceeded',
      'it needs more instructions',
      declares({ instructions: 1_000 }),
      {
        says: 'operation instructions exceeds amount specified',
      },
    ),
    fails('ResourceLimitExceeded', 'it writes more bytes', declares({ writeBytes: 10 }), {
      says: 'operation byte-write resources exceeds amount specified',
    }),
    fails(
      'ResourceLimitExceeded',
      'it reads more bytes from disk',
      declares({ diskReadBytes: 10 }),
      {
        says: 'operation byte-read resources exceeds amount specified',
      },
    ),
    fails('Trapped', 'it writes what its footprint only reads', declares(onlyReading)),
    fails('EntryArchived', 'an entry of its footprint has expired', calls(saved.again), {
      given: calls(saved.prepare),
      archived: [balanceOfVault],
      says: 'trying to access an archived contract data entry',
    }),
  ],
  'CAP-66': [
    succeeds('it restores the entry that it reads', calls(readsVault), {
      given: calls(toVault),
      archived: [balanceOfVault],
      changes: 'vault XLM lives = 518400 ledgers',
    }),
  ],
  'CAP-46-07': [
    fails(
      'InsufficientRefundableFee',
      'its fee leaves nothing for events',
      calls(transfer(), { spare: 0n }),
      {
        says: 'refundable resource fee was not sufficient to cover the ledger storage rent: {} > {}',
      },
    ),
  ],
})
