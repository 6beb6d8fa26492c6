import { type AdminConfig, loadAdminConfig } from '../../../settings/admin.ts'
import { command } from '../../command-line/command.ts'
import {
  asksAtTerminal,
  asksNote,
  notConfirmedExit,
  type Plan,
  showPlan,
  yesFlag,
} from '../../command-line/confirm.ts'
import { flag, networkId } from '../../command-line/flags.ts'
import { isForPerson, outputFlags } from '../../command-line/for-person.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import { type AdminTask, adminEnv, onEveryNetwork } from '../admin-command.ts'
import { deploy, planDeploy } from './deploy.ts'
import { keep, planKeep } from './keep.ts'
import { uptoStatus } from './status.ts'

type Action = 'status' | 'deploy' | 'extend' | 'restore'

export const upto = command({
  name: 'upto',
  summary: 'shows, creates, extends and restores the settlement contract of the scheme upto',
  usage: [
    'svc upto status [--network ID] [--json | --human]',
    'svc upto deploy [--network ID] [--dry-run] [--yes] [--json | --human]',
    'svc upto extend [--network ID] [--dry-run] [--yes] [--json | --human]',
    'svc upto restore [--network ID] [--dry-run] [--yes] [--json | --human]',
  ],
  flags: {
    network: networkId('of the configured NETWORKS, this one only'),
    'dry-run': flag('say what it would do and cost; change nothing'),
    yes: yesFlag,
    ...outputFlags,
  },
  actions: {
    status: ['network', 'json', 'human'],
    deploy: ['network', 'dry-run', 'yes', 'json', 'human'],
    extend: ['network', 'dry-run', 'yes', 'json', 'human'],
    restore: ['network', 'dry-run', 'yes', 'json', 'human'],
  },
  notes: [
    'deploy uploads the contract that this version ships and creates it, at an address that depends on',
    'the sponsor and that code, and prints the variable to set; where it exists, deploy says so. extend',
    'extends the TTL of instance and code to UPTO_TTL_TARGET_LEDGERS, restore restores what the network',
    'has archived: both do what the keeper of the service does, also while it is off. They share its',
    'lease, so that only one acts at a time, and MAX_SPONSOR_SPEND_XLM_PER_HOUR counts their fees but does',
    'not refuse them. Each shows its maximum fee first. May be stopped, killed and run again at any moment.',
    'Prints a table on a terminal, else a line of JSON for each network that has a contract.',
    ...asksNote,
  ],
  env: [
    ...adminEnv.filter(([name]) => name !== 'CHANNEL_COUNT'),
    ['..._UPTO_CONTRACT', 'the contract, for all but deploy'],
    ['INCLUSION_FEE_STROOPS', 'the lowest bid; recent bids count up to INCLUSION_FEE_CAP_STROOPS'],
  ],
  exits: {
    0: 'done, or there was nothing to do',
    1: 'not done, or the contract is missing, archived or not readable, and why',
    ...notConfirmedExit,
  },
  example: 'svc upto deploy --network stellar:testnet',
  config: (variables, { network }, action: Action) =>
    withContracts(loadAdminConfig(variables, network), action),
  handlesStop: true,
  run: ({ action, flags, config, stop }) => {
    const { yes, network, 'dry-run': isDryRun } = flags
    if (action === 'deploy' && config.networks.length > 1) {
      throw new UsageError('deploy creates a contract on one network: name it with --network')
    }
    const doesAsk = asksAtTerminal(yes || isDryRun || action === 'status')
    const plan = (task: AdminTask) => planOf(action, task)
    const name = `upto ${action}`
    return onEveryNetwork(
      {
        name,
        inParallel: action === 'status',
        forPerson: isForPerson(flags),
        ...(doesAsk && { plan }),
        run: async (task) => {
          if (action === 'status') return uptoStatus(task)
          // A command that asks at a terminal has shown the plan there.
          const planned = doesAsk || isDryRun ? undefined : await plan(task)
          if (planned) showPlan(`svc ${name}: ${task.network.id}`, planned)
          return action === 'deploy' ? deploy(task, isDryRun) : keep(task, action, isDryRun)
        },
      },
      { flags: { yes, network, count: undefined }, config, stop },
    )
  },
})

async function planOf(action: Action, task: AdminTask): Promise<Plan | undefined> {
  switch (action) {
    case 'status':
      return undefined
    case 'deploy':
      return planDeploy(task)
    case 'extend':
    case 'restore':
      return planKeep(task, action)
  }
}

/** A network without a contract is left out beside one that has it. */
function withContracts(config: AdminConfig, action: Action): AdminConfig {
  const networks = config.networks.filter(({ upto }) => upto !== undefined)
  return action === 'deploy' || networks.length === 0 ? config : { ...config, networks }
}
