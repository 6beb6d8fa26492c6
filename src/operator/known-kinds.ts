import type { Clock } from '../core/clock.ts'
import { createDiscovery, type Discovery, type DiscoveryOptions } from '../kube/discovery.ts'

/** Which of the optional kinds the cluster knows. */
export interface KnownKinds extends Pick<Discovery, 'serves' | 'onChange'> {
  /** Resolves after the first look that was answered. */
  readonly looked: Promise<void>
  /** Looks at once, then now and then, until the signal aborts; never rejects. */
  run(signal: AbortSignal): Promise<void>
}

const AGAIN_MS = 1_000

export function createKnownKinds(options: DiscoveryOptions): KnownKinds {
  const discovery = createDiscovery(options)
  const { promise: looked, resolve } = Promise.withResolvers<void>()
  return {
    serves: discovery.serves,
    onChange: discovery.onChange,
    looked,
    async run(signal) {
      await lookOnce(discovery, options, signal)
      if (signal.aborted) return
      resolve()
      await discovery.run(signal)
    },
  }
}

async function lookOnce(
  discovery: Discovery,
  { clock, logger }: { readonly clock: Clock; readonly logger: DiscoveryOptions['logger'] },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await discovery.refresh(signal)
      return
    } catch (error) {
      if (!signal.aborted) logger.warn({ err: error }, 'Could not ask for the kinds served')
      await clock.sleep(AGAIN_MS, signal).catch(() => undefined)
    }
  }
}
