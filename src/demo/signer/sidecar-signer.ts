import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { DemoFailure } from '../demo-failure.ts'
import type { Program } from '../programs/child.ts'
import { startUntilReady } from '../programs/running-program.ts'
import { DEMO_NETWORK } from '../state/demo-state.ts'
import { newWallet } from '../wallets.ts'
import { type DemoSigner, SIGNER_FOLDER, SIGNER_LOG, shortAddress } from './demo-signer.ts'

export interface SidecarOptions {
  /** The demo's. */
  readonly folder: string
  /** The file that starts the sidecar. */
  readonly script: string
  readonly program: (configFile: string) => Program
  readonly signal: AbortSignal
}

const USER_ONLY = { mode: 0o600 }
/** Of the systems that the demo runs on, macOS has the shortest limit. */
const MAX_SOCKET_PATH_BYTES = 103

/** More than all channels and payments of a demo need. The mark is what the facilitator writes to its sponsor. */
const policy = {
  maxFeeStroops: 2_000_000,
  maxXlmPerHour: '1000',
  channels: { maxPerDay: 200 },
  dataEntries: ['x402.svc.dev/store'],
}

/** Starts the reference sidecar with a seed in the demo's folder, which no other program is given. Throws DemoFailure. */
export async function startSidecarSigner(options: SidecarOptions): Promise<DemoSigner> {
  const { folder, script, program, signal } = options
  if (!existsSync(script)) {
    const message = 'the sidecar is an example of the source code, which is not installed here'
    throw new DemoFailure(message, 'Run the demo in a clone, or with --signer pkcs11.')
  }
  const own = join(folder, SIGNER_FOLDER)
  const socketPath = join(own, 'socket')
  if (Buffer.byteLength(socketPath) > MAX_SOCKET_PATH_BYTES) {
    const message = `${socketPath} is too long for the path of a Unix socket`
    throw new DemoFailure(message, 'Name a folder with a shorter path with --dir.')
  }
  await mkdir(own, { mode: 0o700 })
  const { address, secret } = newWallet()
  const config = {
    listen: { socketPath },
    key: { seedFile: join(own, 'sponsor.seed') },
    logFile: join(own, 'signatures.jsonl'),
    networks: [DEMO_NETWORK],
    policy,
  }
  await writeFile(config.key.seedFile, `${secret}\n`, USER_ONLY)
  const configFile = join(own, 'config.json')
  await writeFile(configFile, JSON.stringify(config, null, 2), USER_ONLY)
  const readiness = {
    isReady: async (stop: AbortSignal) => (await keyAt(socketPath, stop)) === address,
    logFile: join(folder, SIGNER_LOG),
  }
  const running = await startUntilReady(program(configFile), readiness, signal)
  return {
    ...running,
    address,
    uri: `unix:${socketPath}`,
    description: `sidecar at a socket, key of ${shortAddress(address)}`,
    environment: {},
  }
}

/** The public key that the sidecar states. */
function keyAt(socketPath: string, signal: AbortSignal): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
  request({ socketPath, path: '/v1/key', signal }, (response) => {
    text(response).then((body) => resolve(JSON.parse(body).publicKey), reject)
  })
    .once('error', reject)
    .end()
  return promise
}
