import { readDeclaration } from '../catalog/declaration/read-declaration.ts'
import { catalogHooks } from '../catalog/outcome/catalog-hooks.ts'
import { openValidator } from '../catalog/validation/open-validator.ts'
import type { CatalogConfig } from '../config/catalog-settings.ts'
import { isNetworkId } from '../core/caip2.ts'
import type { CatalogHooks } from '../facilitator/catalog-hooks.ts'
import type { ServiceDeps } from './run-service.ts'

interface HooksParts extends Pick<ServiceDeps, 'store' | 'logger' | 'metrics' | 'clock'> {
  readonly config: Pick<CatalogConfig, 'allowLoopback'>
  /** Names this process in the store. */
  readonly writer: string
  /** Called when a payment with a declaration has settled. */
  readonly onSettled: () => void
}

/** A preview occupies one for some milliseconds. */
const THREADS = 2

/** What the process that takes payments answers for the catalog. Declarations are previewed in its own threads. */
export function openCatalogHooks(parts: HooksParts): CatalogHooks & AsyncDisposable {
  const { config, store, logger: log, metrics, clock, writer, onSettled } = parts
  const validator = openValidator({
    clock,
    allowLoopback: config.allowLoopback,
    threads: THREADS,
  })
  // Threads start with their first use, which would take longer than a verification waits for its preview.
  for (let thread = 0; thread < THREADS; thread += 1) void validator.validate({}, {})
  const hooks = catalogHooks({
    store,
    clock,
    log,
    metrics,
    writer,
    onSettled,
    read: (declaration, { payTo, request }) => {
      const { network } = request.paymentRequirements
      // The facilitator has chosen its network by it.
      if (!isNetworkId(network)) throw new Error('the network of a payment is none that is served')
      return readDeclaration(declaration, { network, payTo }, validator)
    },
  })
  return {
    ...hooks,
    [Symbol.asyncDispose]: async () => {
      await hooks[Symbol.asyncDispose]()
      await validator[Symbol.asyncDispose]()
    },
  }
}
