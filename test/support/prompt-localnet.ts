import { Localnet } from '../../src/localnet/network.ts'
import type { SubmitResult } from '../../src/localnet/submit-result.ts'

/** A network that closes a ledger after each transaction it accepts, unless a test holds it. */
export class PromptLocalnet extends Localnet {
  isHeld = false
  /** Hashes of the accepted transactions, once each, in order. */
  readonly taken: string[] = []

  override submit(envelopeXdr: Uint8Array): SubmitResult {
    const result = super.submit(envelopeXdr)
    if (result.status !== 'PENDING') return result
    this.taken.push(result.hash)
    if (!this.isHeld) void this.closeLedger()
    return result
  }
}
