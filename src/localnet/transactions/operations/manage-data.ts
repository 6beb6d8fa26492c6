import { xdr } from '@stellar/stellar-sdk'
import { dataKey } from '../../ledger/keys.ts'
import { isPlainText } from '../../ledger/string32.ts'
import { loadData, requireAccount, storeAccount, storeData } from '../../ledger/typed-entries.ts'
import {
  type ApplyContext,
  type BoundOperation,
  chargeEntry,
  failed,
  inner,
  type OperationOutcome,
  releaseEntry,
  reserveFailure,
  succeeded,
} from '../operation.ts'

const { manageData: result } = xdr.OperationResultTr
const outcomes = xdr.ManageDataResult
const DATA_COST = { reserves: 1, subEntry: true } as const

/** Sets, changes or, without a value, removes an entry of up to 64 bytes under a name. */
export function manageData(operation: xdr.ManageDataOp): BoundOperation {
  const { dataName, dataValue } = operation
  return {
    threshold: 'medium',
    check: () =>
      dataName.length === 0 || !isPlainText(dataName)
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
  const { overlay, ledger, source } = context
  const present = loadData(overlay, source, name)
  if (present) {
    storeData(overlay, { ...present, value }, ledger.sequence)
    return succeeded(result(outcomes.manageDataSuccess()))
  }
  const owner = requireAccount(overlay, source)
  const { problem, sponsor } = chargeEntry(context, DATA_COST, owner)
  if (problem) return reserveFailure(problem, () => result(outcomes.manageDataLowReserve()))
  storeAccount(overlay, owner, ledger.sequence)
  const data = { account: source, name, value, sponsor, entryExtended: false }
  storeData(overlay, data, ledger.sequence)
  return succeeded(result(outcomes.manageDataSuccess()))
}

function removeData(context: ApplyContext, name: xdr.XdrString): OperationOutcome {
  const { overlay, ledger, source } = context
  const present = loadData(overlay, source, name)
  if (!present) return failed(result(outcomes.manageDataNameNotFound()))
  const owner = requireAccount(overlay, source)
  releaseEntry(context, DATA_COST, { owner, sponsor: present.sponsor })
  storeAccount(overlay, owner, ledger.sequence)
  overlay.write(dataKey(source, name), undefined)
  return succeeded(result(outcomes.manageDataSuccess()))
}
