/** The sponsor of a lane, as the settings of its replicas name it. */
import { newSponsor, type Sponsor } from './sponsors.ts'

export interface LaneSponsor extends Sponsor {
  /** By name, without the prefix of the network. */
  readonly settings: Readonly<Record<string, string>>
  /** Variables of the process besides those of every program, such as those of a PKCS#11 library. */
  readonly variables?: Readonly<Record<string, string | undefined>>
}

export function laneSponsor(): LaneSponsor {
  const sponsor = newSponsor()
  return { ...sponsor, settings: { SPONSOR_SECRET: sponsor.secret } }
}

/** The variables of a replica. @param previous its predecessor, whose seed is known */
export const sponsorVariables = (
  { settings }: LaneSponsor,
  previous: LaneSponsor | undefined,
): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`TESTNET_${name}`, value]),
  ),
  ...(previous && { TESTNET_PREVIOUS_SPONSOR_SECRET: previous.secret }),
})
