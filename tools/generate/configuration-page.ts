import { operatorSettings } from '../../src/settings/operator.ts'
import { serveSettings } from '../../src/settings/rows/processes.ts'
import type { SettingsTable } from '../../src/settings/rows/row.ts'
import { networkSettings } from '../../src/settings/sections/network-settings.ts'

/** `docs/configuration.md`, from the tables that also parse the environment. */
export function configurationPage(made: string): string {
  const secrets = [
    ...secretsOf(serveSettings),
    ...secretsOf(networkSettings).flatMap((name) => [`TESTNET_${name}`, `PUBNET_${name}`]),
  ]
  const blocks = [
    '# Configuration',
    made,
    [
      'This page lists every environment variable that the commands read, with its default and its allowed values.',
      'An empty variable counts as unset. A boolean is `true` or `false`. When a value is wrong, the command',
      'prints every problem and exits with code 78. It names a variable that looks like a misspelled setting on standard',
      'error, and goes on. For example, this configures a service on testnet:',
    ].join('\n'),
    [
      '```sh',
      'DATABASE_URL=postgres://svc@db.example/svc',
      'TESTNET_RPC_URL=https://rpc.example',
      'TESTNET_SPONSOR_SECRET_FILE=/run/secrets/sponsor',
      '```',
    ].join('\n'),
    [
      '| Command | Reads |',
      '| - | - |',
      '| `svc serve`, `facilitator`, `doctor` | [the service](#the-service) and [each network](#each-network) |',
      '| `svc catalog` | those of [the service](#the-service) that have nothing to do with payments and API keys, and `RPC_URL` and `ALLOW_HTTP` of each network; no seed |',
      '| `svc explorer` | the same, with `EXPLORER_PORT` in place of `PORT`, the `EXPLORER_` variables and `FACILITATOR_REGISTRY`; of each network also `WATCHED_SACS`, `UPTO_CONTRACT` and `OTHER_UPTO_CONTRACTS`; no seed |',
      '| `svc status`, `provision`, `retire` | those of them that it needs, such as `DATABASE_URL`, `RPC_URL` and `SPONSOR_SECRET` or the settings of a [signer](signers.md); see [operations](operations.md) |',
      '| `svc migrate`, `settlements` | `LOG_LEVEL`, `STORE` and the `DATABASE_` variables |',
      '| `svc operator` | [the operator](#the-operator) only |',
    ].join('\n'),
    '## The service',
    table(serveSettings),
    '## Each network',
    [
      'Each variable starts with `TESTNET_` or `PUBNET_`, for example `TESTNET_RPC_URL`. A variable marked * may also be set without',
      'the prefix; it then applies to every network without a prefixed value.',
    ].join('\n'),
    table(networkSettings),
    '## The operator',
    'The Kubernetes operator reads only these.',
    table(operatorSettings),
    '## Secrets',
    [
      `The values of ${secrets.map((name) => `\`${name}\``).join(', ')} may be in`,
      'files instead: append `_FILE` to the name and set that variable to the path. Setting both is an error.',
    ].join('\n'),
  ]
  return `${blocks.join('\n\n')}\n`
}

const secretsOf = (settings: SettingsTable): string[] =>
  Object.entries(settings).flatMap(([name, { secret }]) => (secret ? [name] : []))

const table = (settings: SettingsTable): string =>
  ['| Variable | Default | Range | Meaning |', '| - | - | - | - |', ...rows(settings)].join('\n')

const rows = (settings: SettingsTable): string[] =>
  Object.entries(settings).map(
    ([name, { shared, fallback, range, help }]) =>
      `| \`${name}\`${shared ? ' *' : ''} | ${fallback} | ${range} | ${help} |`,
  )
