import { Localnet } from '../../src/localnet/network.ts'
import type { SubmitResult } from '../../src/localnet/submit-result.ts'

/** A network that closes a ledger as soon as it has taken something in, while nobody holds it. */
export class PromptLocalnet extends Localnet {
  isHeld = false
  /** Hashes of what it has taken in, once each, in order. */
  readonly taken: string[] = []

  override submit(envelopeXdr: Uint8Array): SubmitResult {
    const result = super.submit(envelopeXdr)
    if (result.status !== 'PENDING') return result
    this.taken.push(result.hash)
    if (!this.isHeld) void this.closeLedger()
    return result
  }
}
