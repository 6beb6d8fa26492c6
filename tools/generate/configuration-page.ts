import { networkSettings } from '../../src/config/network-settings.ts'
import { operatorSettings } from '../../src/config/operator.ts'
import { serveSettings } from '../../src/config/serve.ts'
import type { Declared, SettingsTable } from '../../src/config/settings.ts'

/** `docs/configuration.md`, out of the tables that read the environment. */
export function configurationPage(made: string): string {
  const secrets = [
    ...secretsOf(serveSettings),
    ...secretsOf(networkSettings).flatMap((name) => [`TESTNET_${name}`, `PUBNET_${name}`]),
  ]
  const blocks = [
    '# Configuration',
    made,
    [
      '`svc serve` is configured by its environment. An empty variable is an unset one, booleans are literally `true` or `false`.',
      'What is wrong is listed variable by variable, and the exit code is 78. `svc migrate` reads `LOG_LEVEL`, `STORE` and the',
      "`DATABASE_` variables alone; the operator's commands read a part of it, see [operations](operations.md).",
    ].join('\n'),
    '## The service',
    table(serveSettings),
    '## Each network',
    [
      'Each has `TESTNET_` or `PUBNET_` before its name. Those marked * may also be given once without it, for every network that has',
      'none of its own.',
    ].join('\n'),
    table(networkSettings),
    '## The operator',
    '`svc operator` reads these alone.',
    table(operatorSettings),
    '## Secrets',
    [
      `${secrets.map((name) => `\`${name}\``).join(', ')} may stand in a file instead:`,
      'the same name with `_FILE` after it holds its path. Setting both is an error.',
    ].join('\n'),
  ]
  return `${blocks.join('\n\n')}\n`
}

const secretsOf = (settings: SettingsTable): string[] =>
  Object.entries(settings).flatMap(([name, { secret }]) => (secret ? [name] : []))

const table = (settings: SettingsTable): string =>
  ['| Variable | Default | Range | Meaning |', '| - | - | - | - |', ...rows(settings)].join('\n')

const rows = (settings: SettingsTable): string[] =>
  Object.entries<Declared>(settings).map(
    ([name, { shared, fallback, range, help }]) =>
      `| \`${name}\`${shared ? ' *' : ''} | ${fallback} | ${range} | ${help} |`,
  )
