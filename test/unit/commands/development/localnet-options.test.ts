import { describe, expect, it } from 'vitest'
import { readCommandLine } from '../../../../src/commands/command-line/read-command-line.ts'
import { UsageError } from '../../../../src/commands/command-line/usage-error.ts'
import {
  localnetFlags,
  localnetOptions,
} from '../../../../src/commands/development/localnet-options.ts'

function optionsOf(args: readonly string[]) {
  const line = readCommandLine(args, localnetFlags, false)
  if (line.wantsHelp) throw new Error('help was requested')
  return localnetOptions(line.flags)
}

function problemsOf(args: readonly string[]): readonly string[] {
  try {
    optionsOf(args)
  } catch (error) {
    if (error instanceof UsageError) return error.problems
  }
  return []
}

describe('the flags of svc localnet', () => {
  it('have defaults', () => {
    expect(optionsOf([])).toEqual({
      host: '127.0.0.1',
      port: 8000,
      tls: false,
      tlsPort: 8443,
      closeEveryMs: 5000,
      limits: 'testnet',
      retainLedgers: 17_280,
      metaVersion: 4,
      upto: true,
    })
  })

  it.each([
    ['5s', 5000],
    ['250ms', 250],
    ['manual', 'manual'],
    ['instant', 'instant'],
  ])('--close-every takes %s', (text, closeEveryMs) => {
    expect(optionsOf([`--close-every=${text}`])).toMatchObject({ closeEveryMs })
  })

  it('say how the network is made', () => {
    const args = ['--limits', 'none', '--retention', '50', '--protocol-meta', 'v3']
    const options = { limits: 'none', retainLedgers: 50, metaVersion: 3 }
    expect(optionsOf(args)).toMatchObject(options)
    expect(optionsOf(['--max-operations', '20'])).toMatchObject({ maxOperations: 20 })
    expect(optionsOf(['--no-upto'])).toMatchObject({ upto: false })
  })

  it.each([
    ['kept', { stateFile: 'kept/localnet-ledger.gz', stateDirectory: 'kept' }],
    ['kept.gz', { stateFile: 'kept.gz' }],
  ])('--state takes a directory or a .gz file: %s', (path, paths) => {
    const { stateFile, stateDirectory } = optionsOf(['--state', path])
    expect({ stateFile, ...(stateDirectory && { stateDirectory }) }).toEqual(paths)
  })

  it.each([
    [['--limits', 'lax'], '--limits is testnet or none, not lax'],
    [['--protocol-meta', '5'], '--protocol-meta is v3 or v4, not 5'],
    [['--retention', '0'], '--retention is a whole number from 1 to 999999999, not 0'],
    [['--max-operations=-5'], '--max-operations is a whole number from 1 to 999999999, not -5'],
    [['--retention', '1h'], '--retention is a whole number from 1 to 999999999, not 1h'],
  ])('refuse %j', (args, problem) => {
    expect(problemsOf(args)).toEqual([problem])
  })

  it('need two ports for two servers, unless they are free ones', () => {
    expect(problemsOf(['--tls', '--port', '8443'])).toEqual(['--port and --tls-port must differ'])
    expect(problemsOf(['--tls', '--port', '0', '--tls-port', '0'])).toEqual([])
    expect(problemsOf(['--port', '8443'])).toEqual([])
  })
})
