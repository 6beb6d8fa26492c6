import { formatXlm, type Stroops } from '../../platform/core/amounts/stroops.ts'
import { type ContractWork, simulatedWork } from '../../stellar/contracts/contract-work.ts'
import type { StellarRpc } from '../../stellar/rpc/rpc.ts'
import { contractWorkFee } from '../../stellar/transactions/contract-envelope.ts'
import { KeeperFailure } from './keeper-failure.ts'

export interface WorkQuote {
  readonly work: ContractWork
  /** Base64 XDR `SorobanTransactionData`. */
  readonly transactionData: string
  /** Bid per operation. */
  readonly inclusionFee: Stroops
  /** The most that the transaction can cost. */
  readonly maxFee: Stroops
}

export interface QuoteOptions {
  readonly rpc: Pick<StellarRpc, 'simulate'>
  /** Bid per operation. */
  readonly inclusionFee: Stroops
  /** A transaction that could cost more is not sent. */
  readonly feeLimit: Stroops
  /** The advice when a transaction could cost more. @default lower the target, which decides the rent */
  readonly whenDearer?: string
  readonly signal: AbortSignal
}

/** Simulates the work for its footprint and its fee. Throws `KeeperFailure`, and RpcError. */
export async function quoteWork(
  {
    rpc,
    inclusionFee,
    feeLimit,
    whenDearer = 'lower UPTO_TTL_TARGET_LEDGERS',
    signal,
  }: QuoteOptions,
  work: ContractWork,
): Promise<WorkQuote> {
  const simulation = await rpc.simulate(simulatedWork(work), signal)
  if (simulation.kind === 'failed') {
    const [because] = simulation.error.split('\n')
    throw new KeeperFailure(
      work.kind,
      'refused',
      `its simulation failed: ${because}. See svc upto status`,
    )
  }
  const maxFee = contractWorkFee(inclusionFee, simulation.minResourceFee)
  if (maxFee > feeLimit) {
    throw new KeeperFailure(
      work.kind,
      'refused',
      `it may cost ${formatXlm(maxFee)}, more than the limit of ${formatXlm(feeLimit)}: ${whenDearer}`,
    )
  }
  return { work, transactionData: simulation.transactionData, inclusionFee, maxFee }
}
