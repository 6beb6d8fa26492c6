import { firstMatch } from '../../../../platform/core/language/first-match.ts'
import { addressKind } from '../../../../stellar/accounts/strkey.ts'
import type { ObservedFacilitator } from '../observe/observe.ts'
import type { Blocker } from './blocker.ts'

/*
 * Finds what the resource definitions cannot refuse: a rule knows no checksum, and parses a URL more generously than the pods do.
 */

type Observed = Pick<ObservedFacilitator, 'facilitator' | 'pools'>

/** A value of a spec and where it is. */
interface Value {
  readonly at: string
  readonly text: string
}

const contractsOf = ({ facilitator }: Observed): readonly Value[] =>
  facilitator.spec.networks.flatMap((network) => {
    const { channelPool, assets = [], upto, watchedContracts = [] } = network
    const { watchedAssets = [], otherUptoContracts = [] } = network
    const values = (field: string, texts: readonly string[]) =>
      texts.map((text) => ({ at: `networks[${channelPool}].${field}`, text }))
    return [
      ...values(
        'assets',
        assets.map(({ contract }) => contract),
      ),
      ...values('upto.contract', upto ? [upto.contract] : []),
      ...values(
        'watchedContracts',
        watchedContracts.map(({ contract }) => contract),
      ),
      ...values(
        'watchedAssets',
        watchedAssets.filter((text) => text !== 'All'),
      ),
      ...values('otherUptoContracts', otherUptoContracts),
    ]
  })

/** A process with such an address does not start. */
function contractsAreValid(observed: Observed): Blocker | undefined {
  const wrong = contractsOf(observed).find(({ text }) => addressKind(text) !== 'contract')
  if (!wrong) return undefined
  const message = `spec.${wrong.at} has ${wrong.text}, whose checksum is wrong: copy the address of the contract again.`
  return { reason: 'AddressInvalid', message }
}

function urlsOf({ facilitator, pools }: Observed): readonly Value[] {
  const { catalog, explorer, tracing } = facilitator.spec
  return [
    ...[...pools.values()].flatMap(({ metadata, spec }) =>
      (spec.rpc.urls ?? []).map((text, index) => ({
        at: `spec.rpc.urls[${index}] of ChannelPool ${metadata.name}`,
        text,
      })),
    ),
    ...(catalog.embeddings
      ? [{ at: 'spec.catalog.embeddings.url', text: catalog.embeddings.url }]
      : []),
    ...explorer.registry.map((text, index) => ({ at: `spec.explorer.registry[${index}]`, text })),
    ...(tracing ? [{ at: 'spec.tracing.endpoint', text: tracing.endpoint }] : []),
  ]
}

/** The message repeats none of them: a URL may hold a key. */
function urlsAreValid(observed: Observed): Blocker | undefined {
  const wrong = urlsOf(observed).find(({ text }) => !URL.canParse(text))
  if (!wrong) return undefined
  const message = `${wrong.at} cannot be read as a URL: correct its host or port.`
  return { reason: 'UrlInvalid', message }
}

/** First match wins. */
export const specBlockerOf = (observed: Observed): Blocker | undefined =>
  firstMatch([contractsAreValid, urlsAreValid], (check) => check(observed))
