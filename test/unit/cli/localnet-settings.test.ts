import { describe, expect, it } from 'vitest'
import { BadSettings, readLocalnetSettings } from '../../../src/cli/localnet-settings.ts'

const problemsOf = (argv: string[]): readonly string[] => {
  try {
    readLocalnetSettings(argv)
  } catch (error) {
    if (error instanceof BadSettings) return error.problems
  }
  return []
}

describe('readLocalnetSettings', () => {
  it('has a default for every flag', () => {
    expect(readLocalnetSettings([])).toEqual({
      host: '127.0.0.1',
      port: 8000,
      tls: false,
      tlsPort: 8443,
      closeEveryMs: 5000,
      limits: 'testnet',
      maxOperations: undefined,
      retainLedgers: 17_280,
      metaVersion: 4,
      statePath: undefined,
      help: false,
    })
  })

  it.each([
    ['5s', 5000],
    ['250ms', 250],
    ['manual', 'manual'],
  ])('reads --close-every %s', (text, closeEveryMs) => {
    expect(readLocalnetSettings([`--close-every=${text}`])).toMatchObject({ closeEveryMs })
  })

  it('reads what a network is made with', () => {
    const argv = ['--limits', 'none', '--retention', '50', '--protocol-meta', 'v3', '--state', 'x']
    const settings = { limits: 'none', retainLedgers: 50, metaVersion: 3, statePath: 'x' }
    expect(readLocalnetSettings(argv)).toMatchObject(settings)
    expect(readLocalnetSettings(['--max-operations', '20'])).toMatchObject({ maxOperations: 20 })
  })

  it.each([
    [['--limits', 'lax'], '--limits is testnet or none, not lax'],
    [['--protocol-meta', '5'], '--protocol-meta is v3 or v4, not 5'],
    [['--retention', '0'], '--retention is a number of ledgers, not 0'],
    [['--max-operations=-5'], '--max-operations is a number of operations, not -5'],
    [['--retention', '1h'], '--retention is a number of ledgers, not 1h'],
  ])('refuses %j', (argv, problem) => {
    expect(problemsOf(argv)).toEqual([problem])
  })

  it('lists every problem at once', () => {
    const argv = [
      '--port',
      '99999',
      '--close-every',
      'soon',
      '--wat',
      'extra',
      '--tls=1',
      '--state',
    ]
    expect(problemsOf(argv)).toEqual([
      '--wat is not a flag of this command',
      'extra is not a flag',
      '--tls takes no value',
      '--state needs a value',
      '--port is a port from 0 to 65535, not 99999',
      '--close-every is a time such as 5s or 250ms, not soon',
    ])
  })

  it('wants two ports for two servers, unless they are free ones', () => {
    expect(problemsOf(['--tls', '--port', '8443'])).toEqual(['--port and --tls-port must differ'])
    expect(problemsOf(['--tls', '--port', '0', '--tls-port', '0'])).toEqual([])
    expect(problemsOf(['--port', '8443'])).toEqual([])
  })
})
