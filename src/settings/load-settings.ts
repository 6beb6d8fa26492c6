import { type NetworkId, variablePrefixes } from '../platform/core/caip2.ts'
import type { Problem } from './parser/config-error.ts'
import { Environment, type Variables } from './parser/environment.ts'
import { likelyNetworks } from './parser/likely-networks.ts'
import {
  type ParsedSettings,
  parseSettings,
  settingsOrThrow,
  sharedProblems,
} from './parser/settings.ts'
import type { SettingsOf, SettingsTable } from './rows/row.ts'
import type { serviceSettings } from './rows/service.ts'
import { networkProblems, withExamples } from './sections/network-rules.ts'
import { networkSettings } from './sections/network-settings.ts'

interface Reader<Table extends SettingsTable, NetworkTable extends SettingsTable> {
  readonly table: Table
  /** A part of `networkSettings`. */
  readonly networkTable: NetworkTable
  /** Problems between settings. */
  readonly problems: (
    service: ParsedSettings<Table>,
    networks: readonly NetworkId[],
  ) => readonly Problem[]
  /** Problems between them and the settings of the networks. */
  readonly problemsWithNetworks?: (
    service: ParsedSettings<Table>,
    networks: readonly ParsedNetwork<NetworkTable>[],
  ) => readonly Problem[]
}

interface ParsedNetwork<Table extends SettingsTable> extends ParsedSettings<Table> {
  readonly id: NetworkId
}

interface Source {
  readonly variables: Variables
  readonly readFile: ((path: string) => string) | undefined
  /** The one network in `NETWORKS` to read. @default all of them */
  readonly only?: NetworkId | undefined
}

/** The settings of a process and of its networks, in the order of `NETWORKS`. Throws `ConfigError` with every problem. */
export function loadSettings<Table extends SettingsTable & WithNetworks, Own extends SettingsTable>(
  reader: Reader<Table, Own>,
  { variables, readFile, only }: Source,
) {
  const environment = new Environment(variables, readFile)
  const service = parseSettings(reader.table, (name, options) => environment.read(name, options))
  const named: SettingsOf<WithNetworks>['NETWORKS'] | undefined = service.settings['NETWORKS']
  const ids = named ?? likelyNetworks(variables)
  const networks = ids
    .filter((id) => only === undefined || id === only)
    .map((id) => parseNetwork(environment, id, reader.networkTable))
  const problems = [
    ...service.problems,
    ...reader.problems(service, ids),
    ...networks.flatMap((network) => network.problems),
    ...(ids.length === 0 ? sharedProblems(reader.networkTable, environment) : []),
    ...(reader.problemsWithNetworks?.(service, networks) ?? []),
  ]
  return {
    settings: settingsOrThrow(service, problems),
    variable: service.variable,
    networks: networks.map((network) => ({
      id: network.id,
      settings: settingsOrThrow(network, network.problems),
    })),
  }
}

type WithNetworks = Pick<typeof serviceSettings, 'NETWORKS'>

/** Rules between settings count when they are reported under one that the process reads. */
function parseNetwork<Table extends SettingsTable>(
  environment: Environment,
  id: NetworkId,
  table: Table,
): ParsedNetwork<Table> {
  const read = (name: string, options: { secret: boolean; shared: boolean }) =>
    environment.readFor(variablePrefixes[id], name, options)
  const parsed = parseSettings(table, read)
  const reported = new Set(Object.keys(table).map((name) => parsed.variable(name)))
  const between = networkProblems(parseSettings(networkSettings, read), id)
  const problems = [
    ...withExamples(id, [
      ...parsed.problems,
      ...between.filter(({ variable }) => reported.has(variable)),
    ]),
  ]
  return { ...parsed, id, problems }
}
