import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { PayFailure } from '../../buying/outcome/pay-failure.ts'
import { Environment, type Variables } from '../../settings/parser/environment.ts'
import { signerFromSecret } from '../../stellar/accounts/signer.ts'

/** Where the flags say that the payer's seed is. At most one is set. */
export interface KeyPlace {
  /** Path of a file that holds the seed. */
  readonly keyFile?: string | undefined
  /** Name of an entry in the keychain of this environment. */
  readonly keychain?: string | undefined
}

/** The name under which the keychain's programs know every entry of this project. */
const KEYCHAIN_SERVICE = 'svc-buyer'
/** A person may have to unlock the keychain. */
const KEYCHAIN_MS = 120_000

/** The payer's seed. Throws PayFailure, which does not repeat it. */
export async function readBuyerKey(
  { keyFile, keychain }: KeyPlace,
  variables: Variables,
  platform: NodeJS.Platform = process.platform,
): Promise<string> {
  const isNamed = keyFile !== undefined || keychain !== undefined
  const environment = new Environment(isNamed ? { BUYER_SECRET_FILE: keyFile } : variables)
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

function checked(secret: string, name: string): string {
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
