import { existsSync } from 'node:fs'
import type { Command } from './command-line/command.ts'

/* Every command of `svc`. One is loaded only when it runs, because each has its own dependencies. */

interface CommandEntry {
  /** Beside the summary of the command itself, which would have to be loaded for it. */
  readonly summary: string
  /** It needs code that the container image leaves out (.dockerignore). */
  readonly isForDevelopment?: boolean
  /** It runs until it is stopped, beside others: its process is kept small. */
  readonly isService?: boolean
  readonly load: () => Promise<Command>
}

export const commands: Readonly<Record<string, CommandEntry>> = {
  serve: {
    summary: 'Verify and settle payments over HTTP',
    isService: true,
    load: async () => (await import('./services/serve.ts')).serve,
  },
  facilitator: {
    summary: 'Verify and settle payments, as a replica in Kubernetes',
    isService: true,
    load: async () => (await import('./services/facilitator.ts')).facilitator,
  },
  catalog: {
    summary: 'List paid resources, check their origins, answer searches',
    isService: true,
    load: async () => (await import('./services/catalog.ts')).catalog,
  },
  explorer: {
    summary: 'Show every x402 payment of the networks, with figures',
    isService: true,
    load: async () => (await import('./services/explorer.ts')).explorer,
  },
  operator: {
    summary: 'Reconcile Facilitators and ChannelPools in Kubernetes',
    isService: true,
    load: async () => (await import('./services/operator.ts')).operator,
  },
  migrate: {
    summary: 'Bring the database schema up to date',
    load: async () => (await import('./admin/migrate.ts')).migrate,
  },
  status: {
    summary: 'Show sponsor, channels and settlements; write nothing',
    load: async () => (await import('./admin/status/status.ts')).status,
  },
  doctor: {
    summary: 'Find what keeps payments from being made, say what to do',
    load: async () => (await import('./admin/doctor.ts')).doctor,
  },
  preflight: {
    summary: 'Check that a facilitator with this environment could settle',
    load: async () => (await import('./admin/preflight.ts')).preflight,
  },
  provision: {
    summary: 'Create missing channel accounts',
    load: async () => (await import('./admin/provision.ts')).provision,
  },
  retire: {
    summary: 'Merge every channel account back into the sponsor',
    load: async () => (await import('./admin/retire.ts')).retire,
  },
  rotate: {
    summary: 'Replace the sponsor by another one without a stop',
    load: async () => (await import('./admin/rotate/rotate.ts')).rotate,
  },
  upto: {
    summary: 'Create and keep the settlement contract of the scheme upto',
    load: async () => (await import('./admin/upto/upto.ts')).upto,
  },
  settlements: {
    summary: 'Show settlements, end those whose outcome the network cannot prove',
    load: async () => (await import('./admin/settlements.ts')).settlements,
  },
  statement: {
    summary: 'Print the settled payments of an API key in a month, with totals',
    load: async () => (await import('./admin/statement.ts')).statement,
  },
  kube: {
    summary: 'Show and steer facilitators in Kubernetes, as kubectl svc',
    load: async () => (await import('./kubernetes/kube.ts')).kube,
  },
  crds: {
    summary: 'Print the definitions of the Kubernetes resources',
    load: async () => (await import('./kubernetes/crds.ts')).crds,
  },
  keys: {
    summary: 'Make API keys, show when each was last used',
    load: async () => (await import('./admin/keys/keys.ts')).keys,
  },
  wallet: {
    summary: 'Make a key pair, fund its account on a test network',
    load: async () => (await import('./buying/wallet.ts')).wallet,
  },
  localnet: {
    summary: 'Run an embedded Stellar network',
    isForDevelopment: true,
    load: async () => (await import('./development/localnet.ts')).localnet,
  },
  demo: {
    summary: 'Run a whole demo on an embedded network and pay once',
    isForDevelopment: true,
    load: async () => (await import('./development/demo.ts')).demo,
  },
  pay: {
    summary: 'Make one paid call with the stock x402 client',
    isForDevelopment: true,
    load: async () => (await import('./buying/pay/pay.ts')).pay,
  },
  receipt: {
    summary: 'Check what the seller of a paid call has signed',
    load: async () => (await import('./buying/receipt/receipt.ts')).receipt,
  },
  mcp: {
    summary: 'Let an agent find, check and buy paid resources, over MCP',
    load: async () => (await import('./buying/mcp/mcp.ts')).mcp,
  },
  search: {
    summary: 'Find paid resources in the catalog of a facilitator',
    load: async () => (await import('./buying/catalog/search.ts')).search,
  },
  inspect: {
    summary: 'Show one paid resource of the catalog of a facilitator',
    load: async () => (await import('./buying/catalog/inspect.ts')).inspect,
  },
  completion: {
    summary: 'Print a script that completes commands and flags in your shell',
    load: async () => (await import('./shell/completion.ts')).completionOf(commandsHere),
  },
  version: {
    summary: 'Print the version',
    load: async () => (await import('./shell/version.ts')).version,
  },
}

const isClone = existsSync(new URL('../localnet', import.meta.url))

/** Whether the code of a command is here: the container image lacks that of some. */
export const isHere = ({ isForDevelopment = false }: CommandEntry): boolean =>
  isClone || !isForDevelopment

/** The commands that can run here. */
export const commandsHere: Readonly<Record<string, CommandEntry>> = Object.fromEntries(
  Object.entries(commands).filter(([, entry]) => isHere(entry)),
)
