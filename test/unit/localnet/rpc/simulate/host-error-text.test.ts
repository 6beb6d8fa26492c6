import { xdr } from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import { hostErrorText } from '../../../../../src/localnet/rpc/simulate/host-error-text.ts'

const bytes = (fill: number) => new Uint8Array(32).fill(fill)
const symbol = (text: string) => xdr.ScVal.scvSymbol(text)

/** An event of contract number `by` (0 for none) as the host keeps it after a failure. */
function logged(by: number, ...topics: xdr.ScVal[]): Uint8Array {
  return new xdr.DiagnosticEvent({
    inSuccessfulContractCall: false,
    event: new xdr.ContractEvent({
      ext: xdr.ExtensionPoint.v0(),
      contractId: by === 0 ? null : new xdr.ContractId(bytes(by)),
      type: xdr.ContractEventType.diagnostic,
      body: xdr.ContractEventBody.v0(
        new xdr.ContractEventV0({ topics, data: xdr.ScVal.scvVoid() }),
      ),
    }),
  }).toXdr()
}
const call = (by: number, callee: number) =>
  logged(by, symbol('fn_call'), xdr.ScVal.scvBytes(bytes(callee)))
const comesBack = (by: number) => logged(by, symbol('fn_return'))
const error = (by: number) => logged(by, symbol('error'))
const log = (by: number) => logged(by, symbol('log'))

const textOf = (events: Uint8Array[]) =>
  `HostError: Error(Contract, #1)\n\nEvent log (newest first):\n${events
    .map(
      (_, index) =>
        `   ${index}: [Failed Diagnostic Event (not emitted)] line ${events.length - 1 - index}\n`,
    )
    .join('')}`

/** `+` for an event shown as effective, `-` for one shown as rolled back; oldest first. */
const shown = (events: Uint8Array[]): string =>
  hostErrorText(textOf(events), events)
    .trimEnd()
    .split('\n')
    .slice(3)
    .toReversed()
    .map((line) => (line.includes('[Failed') ? '-' : '+'))
    .join('')

describe('hostErrorText', () => {
  it('shows the call that failed last as effective', () => {
    expect(shown([call(0, 1), error(1)])).toBe('++')
  })

  it('shows calls that failed before the last error as rolled back', () => {
    expect(shown([call(0, 1), call(1, 2), error(2), log(2), error(1), error(1)])).toBe('++--++')
  })

  it('shows calls that returned as effective', () => {
    expect(shown([call(0, 1), call(1, 2), comesBack(2), error(1)])).toBe('++++')
    const both = [call(0, 1), call(1, 2), comesBack(2), call(1, 3), error(3), error(1)]
    expect(shown(both)).toBe('++++-+')
  })

  it('omits events after the last error', () => {
    const events = [call(0, 1), error(1), log(1)]
    expect(hostErrorText(textOf(events), events)).toBe(
      'HostError: Error(Contract, #1)\n\nEvent log (newest first):\n' +
        '   0: [Diagnostic Event] line 1\n   1: [Diagnostic Event] line 0\n',
    )
  })

  it('leaves a text without a log unchanged', () => {
    expect(hostErrorText('HostError: Error(Budget, ExceededLimit)\n', [])).toBe(
      'HostError: Error(Budget, ExceededLimit)\n',
    )
  })
})
