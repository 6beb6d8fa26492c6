/** Where a sponsor's key can lie, each with what has to run for it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findSoftHsm } from '../../../src/demo/token/find-softhsm.ts'
import { startTokenSigner } from '../../../src/demo/token/token-signer.ts'
import { newWallet } from '../../../src/demo/wallets.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { openKeyService } from '../../../src/signing/open-key-service.ts'
import { parsePlace } from '../../../src/signing/parse-place.ts'
import { addressOf } from '../../../src/stellar/accounts/strkey.ts'
import { createAuthority, createCertificate } from '../../../test/component/signing/certificates.ts'
import { startRealVault, vaultProgram } from '../../../test/support/vault/real-vault.ts'
import { VaultAdmin } from '../../../test/support/vault/vault-admin.ts'
import { startProgram } from '../program.ts'

export interface SignerKind {
  readonly name: string
  /** `G...` */
  readonly sponsor: string
  /** The settings of a facilitator that signs with it. */
  readonly env: Readonly<Record<string, string>>
}

export interface SignerKinds {
  /** The first one has the seed. */
  readonly kinds: readonly SignerKind[]
  /** Why others are left out. */
  readonly missing: readonly string[]
}

const ADDRESS = '127.0.0.1'
const sidecar = join(import.meta.dirname, '../../../examples/signer-sidecar/sidecar.ts')
/** More than the bench takes. */
const policy = {
  maxFeeStroops: 2_000_000,
  maxXlmPerHour: '5000',
  channels: { maxPerDay: 1_000 },
  dataEntries: ['x402.svc.dev/store'],
}

/** @param opened ends what runs */
export async function openKinds(opened: AsyncDisposableStack): Promise<SignerKinds> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-signers-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const write = async (name: string, content: string) => {
    await writeFile(join(folder, name), content, { mode: 0o600 })
    return join(folder, name)
  }
  const missing: string[] = []
  const kinds: SignerKind[] = [seed()]

  const softHsm = await findSoftHsm()
  if ('reason' in softHsm) {
    missing.push(`pkcs11: ${softHsm.reason}`)
  } else {
    const token = opened.use(await startTokenSigner(folder))
    kinds.push(elsewhere('pkcs11 (SoftHSM)', token.address, token.uri, token.environment))
  }
  kinds.push(await overSocket(), await overTls())
  const program = await vaultProgram()
  if ('missing' in program) missing.push(`vault: ${program.missing}`)
  else kinds.push(await inVault(program.path))
  return { kinds, missing }

  async function startSidecar(name: string, listen: object) {
    const { address, secret } = newWallet()
    const config = {
      listen,
      key: { seedFile: await write(`${name}.seed`, secret) },
      logFile: join(folder, `${name}.jsonl`),
      networks: ['stellar:testnet'],
      policy,
    }
    const args = [sidecar, await write(`${name}.json`, JSON.stringify(config))]
    const isReady = ({ listening }: Record<string, unknown>) => typeof listening === 'string'
    const { ready } = opened.use(await startProgram({ name: `sidecar ${name}`, args, isReady }))
    return { address, at: String(ready['listening']) }
  }

  async function overSocket(): Promise<SignerKind> {
    const { address, at } = await startSidecar('socket', { socketPath: join(folder, 'socket') })
    return elsewhere('sidecar, Unix socket', address, `unix:${at}`)
  }

  async function overTls(): Promise<SignerKind> {
    const authority = await createAuthority('signers')
    const ca = await write('ca.crt', authority.cert)
    const pair = async (name: string) => {
      const { cert, key } = await createCertificate(authority, `${name}.example`)
      return [await write(`${name}.crt`, cert), await write(`${name}.key`, key)] as const
    }
    const [certFile, keyFile] = await pair('server')
    const [cert, key] = await pair('client')
    const listen = { host: ADDRESS, port: 0, certFile, keyFile, clientCaFile: ca }
    const { address, at } = await startSidecar('tls', listen)
    const uri = `https://${at}?ca=${ca}&cert=${cert}&key=${key}`
    return elsewhere('sidecar, mutual TLS', address, uri)
  }

  async function inVault(path: string): Promise<SignerKind> {
    const vault = opened.use(await startRealVault(path))
    const admin = new VaultAdmin(vault)
    await admin.enableTransit()
    await admin.createKey('sponsor')
    const [ca, token] = [
      await write('vault.ca', vault.authority),
      await write('vault.token', await admin.signerToken()),
    ]
    const uri = `vault+${vault.address}/transit/sponsor?ca=${ca}&token-file=${token}`
    return elsewhere('vault', await addressAt(uri), uri)
  }
}

function seed(): SignerKind {
  const { address, secret } = newWallet()
  return { name: 'seed', sponsor: address, env: { TESTNET_SPONSOR_SECRET: secret } }
}

const elsewhere = (
  name: string,
  sponsor: string,
  uri: string,
  environment: Readonly<Record<string, string>> = {},
): SignerKind => ({
  ...{ name, sponsor },
  env: {
    TESTNET_SPONSOR_SIGNER: uri,
    TESTNET_SPONSOR_ADDRESS: sponsor,
    TESTNET_CHANNEL_SECRET: newWallet().secret,
    ...environment,
  },
})

async function addressAt(uri: string): Promise<string> {
  const parsed = parsePlace(uri)
  if ('problem' in parsed) throw new Error(`${uri} ${parsed.problem}`)
  await using service = openKeyService(parsed.place, systemClock)
  return addressOf(await service.publicKey(AbortSignal.timeout(10_000)))
}
