import { join } from 'node:path'
import type { LocalnetServerOptions } from '../../localnet/server/server.ts'
import {
  choiceOr,
  duration,
  type Flag,
  type FlagValues,
  flag,
  number,
  numberOr,
  port,
  text,
  textOr,
} from '../command-line/flags.ts'
import { UsageError } from '../command-line/usage-error.ts'

type CloseEvery = number | 'manual' | 'instant'

const isWord = (given: string | undefined): given is 'manual' | 'instant' =>
  given === 'manual' || given === 'instant'

const closeEvery = (fallback: string, help: string): Flag<CloseEvery> => {
  const { read, ...shared } = duration(fallback, help)
  return {
    ...shared,
    values: ['instant', 'manual', fallback],
    read: (given, name) => (isWord(given) ? given : read(given, name)),
  }
}

const MAX_COUNT = 999_999_999

/** The flags of `svc localnet`. */
export const localnetFlags = {
  port: port(8000, 'of Stellar RPC, /friendbot and /faucet over http'),
  tls: flag('serve https as well, for clients that insist on it'),
  'tls-port': port(8443, 'of https'),
  'close-every': closeEvery(
    '5s',
    'how often a ledger closes; instant: for each transaction; manual: only on POST /close',
  ),
  host: textOr('127.0.0.1', 'ADDRESS', 'to listen on'),
  limits: choiceOr(
    ['testnet', 'none'],
    'testnet',
    'what a ledger may hold; none lifts that, for load tests',
  ),
  'max-operations': number('N', 'how many operations of classic transactions a ledger takes', {
    min: 1,
    max: MAX_COUNT,
    fallback: 200,
  }),
  retention: numberOr(17_280, 'how many ledgers of history are kept and can be read', {
    min: 1,
    max: MAX_COUNT,
  }),
  'protocol-meta': choiceOr(
    ['v3', 'v4'],
    'v4',
    "version of the transactions' meta; v3: from before protocol 23",
  ),
  'shuffle-changes': number(
    'SEED',
    "put the changes of an operation's meta in a random order, as a real network may",
    { min: 0, max: MAX_COUNT },
  ),
  'no-upto': flag('start the ledger without the settlement contract of the scheme upto'),
  state: text(
    'PATH',
    "keep the ledger over a restart: a directory, where the certificate authority's",
    'file is kept too, or a file whose name ends in .gz',
  ),
}

/** How the network is started. Throws UsageError when two flags contradict each other. */
export function localnetOptions(values: FlagValues<typeof localnetFlags>): LocalnetServerOptions {
  const { tls, port, 'tls-port': tlsPort, 'max-operations': maxOperations, state } = values
  const { 'shuffle-changes': shuffleChanges } = values
  if (tls && port !== 0 && port === tlsPort) {
    throw new UsageError('--port and --tls-port must differ')
  }
  return {
    host: values.host,
    port,
    tls,
    tlsPort,
    closeEveryMs: values['close-every'],
    limits: values.limits,
    retainLedgers: values.retention,
    metaVersion: values['protocol-meta'] === 'v3' ? 3 : 4,
    upto: !values['no-upto'],
    ...(maxOperations === undefined ? {} : { maxOperations }),
    ...(shuffleChanges === undefined ? {} : { shuffleChanges }),
    ...(state === undefined ? {} : statePaths(state)),
  }
}

/** A path that ends in .gz is the ledger's file; any other is a directory for that and the CA file. */
const statePaths = (path: string) =>
  path.endsWith('.gz')
    ? { stateFile: path }
    : { stateFile: join(path, 'localnet-ledger.gz'), stateDirectory: path }
