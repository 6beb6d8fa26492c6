import { homedir } from 'node:os'
import { join } from 'node:path'
import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Variables } from '../../settings/parser/environment.ts'

/** The budget of a network without `--budget-file`: in the folder for the state of programs, by the XDG Base Directory Specification. */
export function defaultBudgetFile(network: NetworkId, variables: Variables): string {
  const state = variables['XDG_STATE_HOME'] || join(homedir(), '.local', 'state')
  return join(state, 'svc', `budget-${network.replace('stellar:', '')}.sqlite`)
}
