import { readFile } from 'node:fs/promises'
import { onLedger } from '../../../buying/proof/on-ledger.ts'
import { type SavedProof, savedProofSchema } from '../../../buying/proof/saved-proof.ts'
import type { FetchDocument } from '../../../buying/proof/signer-key.ts'
import { type Verdict, type Verdicts, verifyProof } from '../../../buying/proof/verify.ts'
import { isNetworkId } from '../../../platform/core/caip2.ts'
import { messageOf } from '../../../platform/core/text/error-message.ts'
import { cleanLine } from '../../../platform/core/text/hostile-text.ts'
import { systemClock } from '../../../platform/core/time/clock.ts'
import { guardedFetcher } from '../../../platform/http/guarded-fetch/guarded-fetch.ts'
import { personTable } from '../../command-line/person-table.ts'
import { printWhole } from '../../command-line/print.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import { rpcOf } from '../pay/words.ts'

interface VerifyFlags {
  readonly rpc: string | undefined
  readonly offline: boolean
  readonly json: boolean
}

/** Prints the verdicts. @returns the exit code */
export async function verifyFile(path: string, flags: VerifyFlags): Promise<number> {
  const proof = await readProof(path)
  const ledger = flags.offline ? undefined : ledgerOf(proof, flags.rpc)
  const fetcher = guardedFetcher()
  try {
    const verdicts = await verifyProof(proof, {
      fetchDocument: flags.offline ? offline : documentFetcher(fetcher),
      ...(ledger && { ledger }),
    })
    await printWhole(
      flags.json ? `${JSON.stringify({ file: path, ...verdicts })}\n` : shown(proof, verdicts),
    )
    return exitOf(verdicts)
  } finally {
    await fetcher.close()
  }
}

/** Throws UsageError when no RPC is named and the network has none for everybody. */
function ledgerOf({ network }: SavedProof, rpc: string | undefined) {
  if (!isNetworkId(network)) {
    return async (): Promise<Verdict> => ({
      state: 'unknown',
      because: 'the network is not one of Stellar',
    })
  }
  const rpcUrl = rpcOf(network, rpc, process.env) ?? ''
  return (proof: SavedProof) => onLedger(proof, { rpcUrl, clock: systemClock })
}

/** Throws UsageError. */
async function readProof(path: string): Promise<SavedProof> {
  try {
    const read = savedProofSchema.safeParse(JSON.parse(await readFile(path, 'utf8')))
    if (read.success) return read.data
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${messageOf(error)}`)
  }
  throw new UsageError(`${path} is not what svc pay --save-receipt writes`)
}

const offline: FetchDocument = async (url) => ({ failure: `${url} was not asked` })

const documentFetcher =
  (fetcher: ReturnType<typeof guardedFetcher>): FetchDocument =>
  async (url) => {
    const answer = await fetcher.fetch(url, { headers: { accept: 'application/json' } })
    if ('reason' in answer) return { failure: answer.reason.replace(/\.$/, '') }
    if (answer.status !== 200) return { failure: `${url} answered ${answer.status}` }
    try {
      return { document: JSON.parse(Buffer.from(answer.body).toString('utf8')) }
    } catch {
      return { failure: `${url} is not JSON` }
    }
  }

/** 1: something is not as it says. 2: it may be. */
export function exitOf(verdicts: Verdicts): number {
  const states = Object.values(verdicts).map(({ state }: Verdict) => state)
  if (states.includes('invalid')) return 1
  return states.includes('unknown') || verdicts.receiptSignature.state === 'absent' ? 2 : 0
}

const shown = ({ url }: SavedProof, verdicts: Verdicts): string =>
  personTable(
    cleanLine(url),
    Object.entries(verdicts).map(([name, { state, because }]: [string, Verdict]) => [
      name,
      `${state}: ${cleanLine(because)}`,
    ]),
  )
