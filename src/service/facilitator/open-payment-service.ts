import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { AsyncDisposableStack } from '../../platform/core/language/disposable-stack.ts'
import { ApiKeys } from '../../platform/http/access/api-keys.ts'
import type { ServeConfig } from '../../settings/serve.ts'
import { openCatalog } from '../catalog/open-catalog.ts'
import { serveExplorerBeside } from '../explorer/beside/beside.ts'
import { followApiKeyFile } from '../server/api-key-file.ts'
import type { Service, ServiceDeps } from '../server/run-service.ts'
import { openCatalogHooks } from './open-catalog-hooks.ts'
import { openFacilitator } from './open-facilitator.ts'

interface PaymentServiceOptions {
  /** Whether this process also does the work of the catalog and serves it, where it is enabled. */
  readonly hasCatalog: boolean
}

/** The service that takes payments: `svc serve` with catalog and explorer, `svc facilitator` without. */
export async function openPaymentService(
  config: ServeConfig,
  deps: ServiceDeps,
  { hasCatalog }: PaymentServiceOptions,
): Promise<Service> {
  const { clock, logger } = deps
  await using opened = new AsyncDisposableStack()
  const keys = new ApiKeys(clock, config.apiKeys.entries)
  const { file } = config.apiKeys
  if (file !== undefined) opened.use(followApiKeyFile({ file, keys, logger, clock }))
  let onSettled = () => {}
  const hooks =
    config.catalog &&
    opened.use(
      openCatalogHooks({
        ...deps,
        config: config.catalog,
        writer: `${hostname()}/${randomUUID()}`,
        onSettled: () => onSettled(),
      }),
    )
  const facilitator = opened.use(
    await openFacilitator({ ...deps, config, keys, version: config.version, catalog: hooks }),
  )
  const catalog =
    config.catalog && hasCatalog
      ? opened.use(
          await openCatalog({
            ...deps,
            config: config.catalog,
            trustedProxyHops: config.trustedProxyHops,
            version: config.version,
            rpcs: new Map([...facilitator.networks.values()].map(({ id, rpc }) => [id, rpc])),
          }),
        )
      : undefined
  // Another process records it where this one has no catalog: it looks into the outbox by itself.
  if (catalog) onSettled = () => catalog.wake()
  let explorer: AsyncDisposable | undefined
  opened.defer(() => explorer?.[Symbol.asyncDispose]())
  const resources = opened.move()
  return {
    keys,
    routes: (app) => {
      facilitator.routes(app)
      catalog?.routes(app)
    },
    checks: { ...facilitator.checks, ...catalog?.checks },
    podChecks: { settle: facilitator.settledOnce },
    listening: (url) => {
      if (!config.explorer) return
      // Its pages ask the catalog of this process, whose port is known only now.
      const ownCatalog = catalog && config.explorer.catalogUrl === undefined ? url : undefined
      explorer = serveExplorerBeside({
        ...deps,
        service: config,
        config: { ...config.explorer, catalogUrl: config.explorer.catalogUrl ?? ownCatalog },
      })
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
