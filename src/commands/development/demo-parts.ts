import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEmbeddedPostgres } from '../../demo/postgres/embedded-postgres.ts'
import { startSidecarSigner } from '../../demo/signer/sidecar-signer.ts'
import type {
  BuyerSettings,
  DemoParts,
  FacilitatorSettings,
  Sponsor,
} from '../../demo/start/demo-options.ts'
import { paymentsFile } from '../../demo/state/demo-state.ts'
import { startTokenSigner } from '../../demo/token/token-signer.ts'

const script = fileURLToPath(new URL('../svc.ts', import.meta.url))
const followParent = new URL('../../service/process/follow-parent.ts', import.meta.url).href

const sidecarScript = fileURLToPath(
  new URL('../../../examples/signer-sidecar/sidecar.ts', import.meta.url),
)

/** Where the key of the sponsor lies: its seed among the settings of the facilitator, a PKCS#11 token, or another process. */
export const SIGNERS = ['seed', 'pkcs11', 'sidecar'] as const

const signers: Readonly<Record<(typeof SIGNERS)[number], DemoParts['startSigner']>> = {
  seed: undefined,
  pkcs11: (folder) => startTokenSigner(folder),
  sidecar: (folder, signal) =>
    startSidecarSigner({
      ...{ folder, signal, script: sidecarScript },
      program: (configFile) => ({
        name: 'sidecar',
        args: ['--import', followParent, sidecarScript, configFile],
        env: inheritedEnv(),
      }),
    }),
}

interface Choice {
  readonly store: 'postgres' | 'memory'
  readonly signer: (typeof SIGNERS)[number]
}

/** The programs and the database of a demo. */
export function demoParts({ store, signer }: Choice): DemoParts {
  return {
    startSigner: signers[signer],
    startDatabase:
      store === 'postgres' ? (directory) => startEmbeddedPostgres({ directory }) : undefined,
    facilitatorEnvironment,
    facilitator: (environment) => ({
      name: 'facilitator',
      args: ['--import', followParent, script, 'serve'],
      env: { ...inheritedEnv(), ...environment },
    }),
    buyer: (settings) => ({
      name: 'payment',
      args: [
        ...[script, 'pay', settings.url, '--json', '--max', '1', '--rpc', settings.rpcUrl],
        ...['--budget-file', paymentsFile(dirname(settings.caFile))],
      ],
      env: { ...inheritedEnv(), ...buyerEnv(settings) },
    }),
  }
}

function facilitatorEnvironment(settings: FacilitatorSettings): Record<string, string> {
  return {
    HOST: settings.host,
    PORT: String(settings.port),
    ADMIN_PORT: '0',
    EXPLORER_PORT: String(settings.explorerPort),
    NETWORKS: 'stellar:testnet',
    TESTNET_RPC_URL: settings.rpcUrl,
    ...sponsorEnvironment(settings.sponsor),
    TESTNET_UPTO_CONTRACT: settings.uptoContract,
    ...(settings.databaseUrl === undefined
      ? { STORE: 'memory' }
      : { DATABASE_URL: settings.databaseUrl }),
    SHUTDOWN_GRACE_MS: '5000',
    // The paid API is on this machine.
    DISCOVERY_ALLOW_LOOPBACK: 'true',
  }
}

function sponsorEnvironment(sponsor: Sponsor): Record<string, string> {
  if ('secret' in sponsor) return { TESTNET_SPONSOR_SECRET: sponsor.secret }
  return {
    TESTNET_SPONSOR_SIGNER: sponsor.signer.uri,
    TESTNET_SPONSOR_ADDRESS: sponsor.address,
    TESTNET_CHANNEL_SECRET: sponsor.channelSecret,
    ...sponsor.signer.environment,
  }
}

/** Environment that any stock client needs. */
function buyerEnv({ buyer, caFile }: BuyerSettings): Record<string, string> {
  return { BUYER_SECRET: buyer.secret, NODE_EXTRA_CA_CERTS: caFile }
}

/**
 * The variables that every program gets from this process. No others: settings of another facilitator
 * must not change this one, and a proxy must not handle requests within this machine.
 */
function inheritedEnv(): Record<string, string | undefined> {
  const { PATH, HOME, TMPDIR, LANG, TZ } = process.env
  return { PATH, HOME, TMPDIR, LANG, TZ }
}
