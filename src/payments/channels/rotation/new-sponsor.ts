import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { AccountState } from '../../../stellar/rpc/rpc.ts'
import type { DerivedRole } from '../../store/channels/derived-role.ts'

export interface NewSponsor {
  readonly network: NetworkId
  /** `G...` */
  readonly address: string
  /** Undefined when the ledger has none. */
  readonly account: AccountState | undefined
  /** The role of the address in the store, if it has one already. */
  readonly role: DerivedRole | undefined
  /** Names, in a sentence, another process that manages its channels, and what to do about that. */
  readonly managedElsewhere?: string | undefined
}

/**
 * Why an account cannot become the sponsor, each in a sentence that begins with a small letter: the same for `svc rotate` and for the
 * operator. What it must be able to pay is another question, since an emergency pays for it later.
 */
export const problemsOfNewSponsor = ({
  network,
  address,
  account,
  role,
  managedElsewhere,
}: NewSponsor): readonly string[] => [
  ...(role
    ? [
        `the new sponsor ${address} is a ${role} in this database: make a new key pair for the sponsor`,
      ]
    : []),
  ...(managedElsewhere === undefined ? [] : [managedElsewhere]),
  ...(account
    ? []
    : [
        `the new sponsor ${address} does not exist on ${network}: send it XLM first, ` +
          '1 for itself, 1 for each channel, and enough for the fees of your payments',
      ]),
]
