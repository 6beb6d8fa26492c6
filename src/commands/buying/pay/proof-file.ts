import { existsSync } from 'node:fs'
import type { PaidAnswer } from '../../../buying/pay/pay.ts'
import { savedProof } from '../../../buying/proof/saved-proof.ts'
import { DraftFile } from '../../../platform/core/files/draft-file.ts'
import { messageOf } from '../../../platform/core/text/error-message.ts'
import { UsageError } from '../../command-line/usage-error.ts'

interface ProofFile extends AsyncDisposable {
  /** Resolves once the file is there, whole and on the disk. Throws when it cannot be. */
  save(paid: PaidAnswer, say: (sentence: string) => void): Promise<void>
}

/** Makes a draft of the file before anything is paid. Throws UsageError when that fails, or the file exists. */
export async function proofFile(path: string): Promise<ProofFile> {
  const cannot = (why: string) => new UsageError(`--save-receipt cannot make the file: ${why}`)
  if (existsSync(path)) throw cannot(`${path} exists`)
  const draft = await DraftFile.open(path, 0o600).catch((error: unknown) => {
    throw cannot(messageOf(error))
  })
  return {
    save: async (paid, say) => {
      const proof = savedProof(paid)
      await draft.write(`${JSON.stringify(proof, undefined, 2)}\n`)
      if (!(await draft.create())) throw new Error(`${path} exists meanwhile`)
      if (!proof.receipt) say('the seller signed no receipt')
    },
    [Symbol.asyncDispose]: () => draft[Symbol.asyncDispose](),
  }
}
