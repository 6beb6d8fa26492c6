import { describe, expect, test } from 'vitest'
import { unknownVariables } from '../../../../src/settings/parser/unknown-variables.ts'

describe('a variable that looks like a setting', () => {
  test.each([
    ['TESTNET_RPCURL', 'TESTNET_RPCURL is no setting. Did you mean TESTNET_RPC_URL?'],
    [
      'TESTNET_SPONSER_SECRET',
      'TESTNET_SPONSER_SECRET is no setting. Did you mean TESTNET_SPONSOR_SECRET?',
    ],
    ['PUBNET_DATABASE_URL', 'PUBNET_DATABASE_URL is no setting. Did you mean DATABASE_URL?'],
    ['TESTNET_COLOUR', 'TESTNET_COLOUR is no setting, and is not read.'],
    ['RPC_URL', 'RPC_URL is no setting. Did you mean TESTNET_RPC_URL or PUBNET_RPC_URL?'],
    [
      'SPONSOR_SECRET_FILE',
      'SPONSOR_SECRET_FILE is no setting. Did you mean TESTNET_SPONSOR_SECRET_FILE or PUBNET_SPONSOR_SECRET_FILE?',
    ],
    ['CHANEL_COUNT', 'CHANEL_COUNT is no setting. Did you mean CHANNEL_COUNT?'],
    ['DATABASE_URI', 'DATABASE_URI is no setting. Did you mean DATABASE_URL?'],
    ['ADMINPORT', 'ADMINPORT is no setting. Did you mean ADMIN_PORT?'],
  ])('is named: %s', (name, sentence) => {
    expect(unknownVariables({ [name]: 'value' })).toEqual([sentence])
  })

  test.each([
    [
      'a setting',
      {
        TESTNET_RPC_URL: 'x',
        CHANNEL_COUNT: '2',
        PUBNET_CHANNEL_COUNT: '2',
        DATABASE_URL_FILE: 'x',
      },
    ],
    ['a setting of the operator', { POD_NAMESPACE: 'x', WATCH_NAMESPACES: 'x' }],
    ['an empty one', { TESTNET_RPCURL: '' }],
    ['one near a setting that is set', { DATABASE_URI: 'x', DATABASE_URL: 'y' }],
    [
      'the usual variables of a shell',
      {
        PATH: 'x',
        HOME: 'x',
        HOSTNAME: 'x',
        PWD: 'x',
        SHELL: 'x',
        LANG: 'x',
        TERM: 'x',
        LOGNAME: 'x',
      },
    ],
    [
      'those of a Kubernetes Service',
      { TESTNET_SERVICE_HOST: 'x', TESTNET_PORT: 'tcp://x', TESTNET_PORT_80_TCP_ADDR: 'x' },
    ],
    ['those of OpenTelemetry', { OTEL_EXPORTER_OTLP_HEADERS: 'x', OTEL_SERVICE_NAME: 'x' }],
  ])('is none: %s', (_, variables) => {
    expect(unknownVariables(variables)).toEqual([])
  })
})
