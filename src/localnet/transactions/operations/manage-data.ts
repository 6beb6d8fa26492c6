import { xdr } from '@stellar/stellar-sdk'
import { isString32Valid } from '../../ledger/data-entry.ts'
import { dataKey } from '../../ledger/keys.ts'
import { loadData, requireAccount, storeAccount, storeData } from '../../ledger/typed-entries.ts'
import {
  type ApplyContext,
  createEntryWithPossibleSponsorship,
  failed,
  inner,
  type OperationFrame,
  type OperationOutcome,
  removeEntryWithPossibleSponsorship,
  reserveFailure,
  succeeded,
} from '../operation.ts'

const { manageData: result } = xdr.OperationResultTr
const outcomes = xdr.ManageDataResult
const DATA_COST = { reserves: 1, subEntry: true } as const

/** Sets, changes or, without a value, removes an entry of up to 64 bytes under a name. */
export function manageData(operation: xdr.ManageDataOp): OperationFrame {
  const { dataName, dataValue } = operation
  return {
    threshold: 'medium',
    check: () =>
      dataName.length === 0 || !isString32Valid(dataName)
        ? inner(result(outcomes.manageDataInvalidName()))
        : undefined,
    apply: (context) =>
      dataValue ? setData(context, dataName, dataValue) : removeData(context, dataName),
  }
}

function setData(
  context: ApplyContext,
  name: xdr.XdrString,
  value: xdr.DataValue,
): OperationOutcome {
  const { ltx, ledger, source } = context
  const present = loadData(ltx, source, name)
  if (present) {
    storeData(ltx, { ...present, value }, ledger.sequence)
    return succeeded(result(outcomes.manageDataSuccess()))
  }
  const owner = requireAccount(ltx, source)
  const { problem, sponsor } = createEntryWithPossibleSponsorship(context, DATA_COST, owner)
  if (problem) return reserveFailure(problem, () => result(outcomes.manageDataLowReserve()))
  storeAccount(ltx, owner, ledger.sequence)
  const data = { account: source, name, value, sponsor, entryExtended: false }
  storeData(ltx, data, ledger.sequence)
  return succeeded(result(outcomes.manageDataSuccess()))
}

function removeData(context: ApplyContext, name: xdr.XdrString): OperationOutcome {
  const { ltx, ledger, source } = context
  const present = loadData(ltx, source, name)
  if (!present) return failed(result(outcomes.manageDataNameNotFound()))
  const owner = requireAccount(ltx, source)
  removeEntryWithPossibleSponsorship(context, DATA_COST, { owner, sponsor: present.sponsor })
  storeAccount(ltx, owner, ledger.sequence)
  ltx.write(dataKey(source, name), undefined)
  return succeeded(result(outcomes.manageDataSuccess()))
}
