import { readDeclaration } from '../../catalog/declaration/read-declaration.ts'
import { catalogHooks } from '../../catalog/outcome/catalog-hooks.ts'
import type { CatalogHooks } from '../../payments/api/catalog-hooks.ts'
import { isNetworkId } from '../../platform/core/caip2.ts'
import type { CatalogConfig } from '../../settings/sections/catalog-settings.ts'
import { openWarmValidator } from '../catalog/open-warm-validator.ts'
import type { ServiceDeps } from '../server/run-service.ts'

/** Slow schemas get a fifth of a processor for each thread. */
const REST_FACTOR = 4

interface HooksParts extends Pick<ServiceDeps, 'store' | 'logger' | 'metrics' | 'clock'> {
  readonly config: Pick<CatalogConfig, 'allowLoopback'>
  /** Names this process in the store. */
  readonly writer: string
  /** Called when a payment with a declaration has settled. */
  readonly onSettled: () => void
}

/** The catalog's hooks in the process that takes payments. Declarations are previewed in threads of their own. */
export function openCatalogHooks(parts: HooksParts): CatalogHooks & AsyncDisposable {
  const { config, store, logger: log, metrics, clock, writer, onSettled } = parts
  const { allowLoopback } = config
  const validator = openWarmValidator({ clock, allowLoopback, restFactor: REST_FACTOR })
  const hooks = catalogHooks({
    store,
    clock,
    log,
    metrics,
    writer,
    onSettled,
    read: (declaration, { payTo, payer, request }, signal) => {
      const { network } = request.paymentRequirements
      // The facilitator has chosen its network by it.
      if (!isNetworkId(network)) throw new Error('the network of a payment is none that is served')
      return readDeclaration(
        declaration,
        { network, payTo },
        {
          allowLoopback,
          validate: (schema, info) => validator.validate(schema, info, { name: payer, signal }),
        },
      )
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
