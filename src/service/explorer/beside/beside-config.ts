import type { ServeConfig } from '../../../settings/serve.ts'
import { serverMembers } from '../../server/public-server.ts'

/** The explorer beside payments takes this from the configuration of `svc serve`: no seed. */
const besideMembers = [
  ...serverMembers,
  'host',
  'logLevel',
  'publicUrl',
  'shutdownGraceMs',
  'store',
  'version',
] as const satisfies readonly (keyof ServeConfig)[]
export type BesideConfig = Pick<ServeConfig, (typeof besideMembers)[number]>

/** The object of the process has more than its type says. */
export const withoutSeeds = (service: BesideConfig): BesideConfig =>
  Object.fromEntries(besideMembers.map((name) => [name, service[name]])) as BesideConfig
