import { cleanLine, cutTo } from '../../platform/core/text/hostile-text.ts'
import type { SimulationFailure } from '../../stellar/rpc/rpc.ts'
import { readHostFailure, showError } from '../../stellar/values/host-failure.ts'

const MAX_SHOWN = 200

/** The first error that a contract raised of itself, else the one with which the call ended; and the contract that raised it. */
export function whyItFailed({ error, events }: SimulationFailure): {
  readonly error: string
  readonly contract: string | undefined
} {
  const { final, errors } = readHostFailure(error, events)
  const own = errors.find((each) => each.error.type === 'Contract') ?? errors[0]
  const shown = own?.error ?? final
  return {
    error: shown ? showError(shown) : cleanLine(cutTo(MAX_SHOWN, error)),
    contract: own?.contract,
  }
}
