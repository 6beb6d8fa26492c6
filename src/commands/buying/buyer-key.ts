import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { PayFailure } from '../../buying/outcome/pay-failure.ts'
import type { PayerKey } from '../../buying/sign/sign-payment.ts'
import { readAccountKey } from '../../buying/signers/account-key.ts'
import { Environment, type Variables } from '../../settings/parser/environment.ts'
import { signerFromSecret } from '../../stellar/accounts/signer.ts'
import { addressKind } from '../../stellar/accounts/strkey.ts'

/** Where the flags say that the payer's key is. At most one of file and entry is set. */
export interface KeyPlace {
  /** The contract account, `C...`, for which the key signs. */
  readonly account?: string | undefined
  /** Path of a file that holds the key. */
  readonly keyFile?: string | undefined
  /** Name of an entry in the keychain of this environment. */
  readonly keychain?: string | undefined
}

/** The name under which the keychain's programs know every entry of this project. */
const KEYCHAIN_SERVICE = 'svc-buyer'
/** A person may have to unlock the keychain. */
const KEYCHAIN_MS = 120_000

/** The payer's key, and its account. Throws PayFailure, which does not repeat the key. */
export async function readBuyerKey(
  place: KeyPlace,
  variables: Variables,
  platform: NodeJS.Platform = process.platform,
): Promise<PayerKey> {
  const account = accountOf(place, variables)
  return { account, secret: await readSecret(place, variables, { account, platform }) }
}

const isNamed = ({ keyFile, keychain }: KeyPlace): boolean =>
  keyFile !== undefined || keychain !== undefined

/** The variable belongs to the key that the other variables name. */
function accountOf(place: KeyPlace, variables: Variables): string | undefined {
  if (place.account !== undefined) return place.account
  const account = isNamed(place) ? undefined : variables[ACCOUNT] || undefined
  if (account === undefined || addressKind(account) === 'contract') return account
  throw failure(
    `${ACCOUNT} is not the address of a contract account, C...`,
    'Without it the account of the seed pays.',
  )
}

const ACCOUNT = 'BUYER_ACCOUNT'

interface SecretOf {
  readonly account: string | undefined
  readonly platform: NodeJS.Platform
}

async function readSecret(
  place: KeyPlace,
  variables: Variables,
  { account, platform }: SecretOf,
): Promise<string> {
  const { keyFile, keychain } = place
  const checked = account === undefined ? checkedSeed : checkedKey
  const environment = new Environment(isNamed(place) ? { BUYER_SECRET_FILE: keyFile } : variables)
  const read = environment.read('BUYER_SECRET', { secret: true })
  const name = keyFile === undefined ? read.variable : '--key-file'
  if (read.problem !== undefined) {
    throw failure(
      `${name} ${read.problem}`,
      'Set either BUYER_SECRET, or BUYER_SECRET_FILE to the path of a file.',
    )
  }
  if (read.value !== undefined) return checked(read.value, name)
  const entry = keychain ?? (variables['BUYER_KEYCHAIN'] || undefined)
  if (entry === undefined) throw failure("BUYER_SECRET must hold the payer's secret seed")
  return checked(await readKeychain(entry, platform), `the keychain entry ${entry}`)
}

function checkedKey(secret: string, name: string): string {
  try {
    readAccountKey(secret)
    return secret
  } catch {
    throw failure(
      `${name} holds no key of a contract account: a seed, or a private key of ed25519 or P-256 in PEM`,
      'docs/buyers.md says how to make one.',
    )
  }
}

function checkedSeed(secret: string, name: string): string {
  try {
    signerFromSecret(secret)
    return secret
  } catch {
    throw failure(`${name} holds no secret seed, which is S and 55 more characters`)
  }
}

const failure = (
  says: string,
  hint = 'svc wallet new --fund makes an account and prints its seed.',
) => new PayFailure('bad_seed', says, { hint })

/** The programs that come with the keychains; each prints the secret alone. */
const programs: Partial<Record<NodeJS.Platform, readonly [string, (entry: string) => string[]]>> = {
  darwin: [
    'security',
    (entry) => ['find-generic-password', '-s', KEYCHAIN_SERVICE, '-a', entry, '-w'],
  ],
  linux: ['secret-tool', (entry) => ['lookup', 'service', KEYCHAIN_SERVICE, 'account', entry]],
}

async function readKeychain(entry: string, platform: NodeJS.Platform): Promise<string> {
  const program = programs[platform]
  if (!program) {
    throw failure(
      `no program for the keychain of ${platform} is known`,
      'Use --key-file or BUYER_SECRET_FILE instead.',
    )
  }
  const [file, args] = program
  try {
    const { stdout } = await promisify(execFile)(file, args(entry), { timeout: KEYCHAIN_MS })
    const secret = stdout.trim()
    if (secret !== '') return secret
  } catch (error) {
    const { code } = Object(error)
    if (code === 'ENOENT') {
      throw failure(
        `the program ${file}, which reads the keychain, is not installed here`,
        'Install it, or use --key-file or BUYER_SECRET_FILE instead.',
      )
    }
  }
  throw failure(
    `${file} finds no entry of the service ${KEYCHAIN_SERVICE} with the account ${entry}`,
    'docs/buyers.md has the commands that store a seed.',
  )
}
