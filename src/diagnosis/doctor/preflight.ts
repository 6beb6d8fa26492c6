import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Gathered } from '../read/gather.ts'
import { checkAll } from './run-checks.ts'

/**
 * Why a process could not settle payments: the problems of the checks that `svc preflight` makes, without those of networks
 * whose channels do not count.
 */
export const preflightProblems = (
  gathered: Gathered,
  withoutChannels: readonly NetworkId[],
): readonly string[] =>
  checkAll(gathered, 'preflight').flatMap(({ network, results }) =>
    results
      .filter(({ check, status }) => {
        const isExempt = withoutChannels.some((id) => id === network)
        return status === 'problem' && !(isExempt && check === 'leasable-channels')
      })
      .map(({ check, says, todo }) =>
        [...(network === undefined ? [] : [network]), check, says, todo].join(': '),
      ),
  )
