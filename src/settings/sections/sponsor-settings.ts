import { z } from 'zod'
import { parsePlace, SIGNER_FORMS } from '../../signing/parse-place.ts'
import type { SignerPlace } from '../../signing/signer-place.ts'
import { signerFromSecret } from '../../stellar/accounts/signer.ts'
import { addressKind } from '../../stellar/accounts/strkey.ts'
import type { Problem } from '../parser/config-error.ts'
import { integer, optional, required } from '../rows/kinds.ts'
import { type Kind, type SettingsOf, settingsTable } from '../rows/row.ts'
import { secretSeed } from './addresses.ts'

const account = optional(
  required('the address (G...) of an account', (text) => addressKind(text) === 'account'),
)

const signerPlace: Kind<SignerPlace | undefined> = {
  schema: z
    .string()
    .transform((text, context) => {
      const parsed = parsePlace(text)
      if ('place' in parsed) return parsed.place
      context.addIssue({ code: 'custom', message: parsed.problem })
      return z.NEVER
    })
    .optional(),
  fallback: 'none',
  range: SIGNER_FORMS,
}

/** Which account pays, and where its key lies. */
export const sponsorSettings = settingsTable({
  SPONSOR_SECRET: {
    help: 'Seed of the sponsor, the account that pays the fees. The keys of the channels are derived from it. In place of it, `SPONSOR_SIGNER`.',
    secret: true,
    ...optional(secretSeed),
  },
  SPONSOR_SIGNER: {
    help: 'Where the key of the sponsor lies, when no process is to have its seed: a PKCS#11 token, the transit engine of Vault, or a service that speaks the signing protocol.',
    ...signerPlace,
  },
  SPONSOR_ADDRESS: {
    help: 'Account of the sponsor; required with `SPONSOR_SIGNER`, whose key must be that of this account.',
    ...account,
  },
  CHANNEL_SECRET: {
    help: 'Seed from which the keys of the channels are derived; required with `SPONSOR_SIGNER`. It belongs to no account.',
    secret: true,
    ...optional(secretSeed),
  },
  SIGNER_TIMEOUT_MS: {
    shared: true,
    help: 'The longest that a settlement waits for the signature of `SPONSOR_SIGNER`, in milliseconds.',
    ...integer(100, 10_000, 3_000),
  },
})

const other = (which: string, when: string) => ({
  secret: {
    help: `Seed of the sponsor ${which}. Payments of the scheme \`upto\` that were signed for its settlement authority ${when}.`,
    secret: true,
    ...optional(secretSeed),
  } as const,
  address: {
    help: `Account of the sponsor ${which}, where no process is to have its seed.`,
    ...account,
  } as const,
  channelSecret: {
    help: `Seed from which the keys of its channels are derived; required with its address.`,
    secret: true,
    ...optional(secretSeed),
  } as const,
})

const previous = other('before the present one', 'still settle')
const next = other('that replaces the present one', 'already settle')

/** The sponsors before and after, for which buyers may have signed. */
export const otherSponsorSettings = settingsTable({
  PREVIOUS_SPONSOR_SECRET: previous.secret,
  PREVIOUS_SPONSOR_ADDRESS: previous.address,
  PREVIOUS_CHANNEL_SECRET: previous.channelSecret,
  NEXT_SPONSOR_SECRET: next.secret,
  NEXT_SPONSOR_ADDRESS: next.address,
  NEXT_CHANNEL_SECRET: next.channelSecret,
})

type Table = typeof sponsorSettings & typeof otherSponsorSettings
type Name = keyof Table & string

interface Parsed {
  readonly settings: Partial<SettingsOf<Table>>
  readonly variable: (name: Name) => string
  readonly problems: readonly Problem[]
}

/** Problems between the settings of the sponsors of one network. */
export function sponsorProblems(parsed: Parsed): readonly Problem[] {
  const { settings, variable } = parsed
  const isWrong = (name: Name) => parsed.problems.some((each) => each.variable === variable(name))
  const problem = (name: Name, message: string): Problem => ({ variable: variable(name), message })
  const isSet = (name: Name) => settings[name] !== undefined || isWrong(name)
  const problems: Problem[] = []
  if (isSet('SPONSOR_SIGNER')) {
    for (const name of ['SPONSOR_ADDRESS', 'CHANNEL_SECRET'] as const) {
      if (!isSet(name))
        problems.push(problem(name, `is required with ${variable('SPONSOR_SIGNER')}`))
    }
    if (isSet('SPONSOR_SECRET')) {
      problems.push(
        problem('SPONSOR_SECRET', `must not be set beside ${variable('SPONSOR_SIGNER')}`),
      )
    }
  } else if (!isSet('SPONSOR_SECRET')) {
    problems.push(problem('SPONSOR_SECRET', 'is required'))
  } else if (isSet('CHANNEL_SECRET')) {
    const message = `must not be set beside ${variable('SPONSOR_SECRET')}, from which the channels are derived`
    problems.push(problem('CHANNEL_SECRET', message))
  }
  for (const which of ['PREVIOUS', 'NEXT'] as const) {
    const [secret, address, channels] = [
      `${which}_SPONSOR_SECRET`,
      `${which}_SPONSOR_ADDRESS`,
      `${which}_CHANNEL_SECRET`,
    ] as const
    if (isSet(address) && isSet(secret)) {
      problems.push(problem(secret, `must not be set beside ${variable(address)}`))
    }
    if (isSet(address) !== isSet(channels)) {
      const [missing, given] = isSet(address) ? [channels, address] : [address, channels]
      problems.push(problem(missing, `is required with ${variable(given)}`))
    }
  }
  return [...problems, ...sameSponsor(parsed)]
}

interface NamedAccount {
  readonly name: Name
  readonly account: string
}

/** Each of the three is another account. */
function sameSponsor({ settings, variable }: Parsed): readonly Problem[] {
  const named = (['', 'PREVIOUS_', 'NEXT_'] as const).flatMap((which): NamedAccount[] => {
    const [secret, address] = [`${which}SPONSOR_SECRET`, `${which}SPONSOR_ADDRESS`] as const
    const seed = settings[secret]
    if (seed !== undefined) return [{ name: secret, account: signerFromSecret(seed).address }]
    const account = settings[address]
    return account === undefined ? [] : [{ name: address, account }]
  })
  return named.flatMap(({ name, account }, at) => {
    const same = named.slice(0, at).find((one) => one.account === account)
    if (!same) return []
    const takes = name.startsWith('NEXT_') ? 'the one that follows' : 'the one before it'
    const what = name.endsWith('_SECRET') ? 'seed' : 'account'
    const message = `must not be the ${what} of ${variable(same.name)}: it takes ${takes}, or nothing`
    return [{ variable: variable(name), message }]
  })
}
