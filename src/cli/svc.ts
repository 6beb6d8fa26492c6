#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

/*
 * `svc <command>`: finds the command, runs it, exits with its code. Commands are loaded when asked
 * for, since each brings its own vendors.
 */

/** The oldest Node whose type stripping and libraries these sources are written for. */
const NODE_MAJOR = 24
/** Exit code for a command line that was not understood (`EX_USAGE` of sysexits.h). */
const EX_USAGE = 64

type Run = (args: readonly string[]) => Promise<number>

interface Command {
  readonly summary: string
  readonly load: () => Promise<Run>
}

const commands: Readonly<Record<string, Command>> = {
  serve: {
    summary: 'Verify and settle payments over HTTP',
    load: async () => (await import('./serve.ts')).serve,
  },
  facilitator: {
    summary: 'Verify and settle payments, as a replica in Kubernetes',
    load: async () => (await import('./facilitator.ts')).facilitator,
  },
  operator: {
    summary: 'Reconcile Facilitators and ChannelPools in Kubernetes',
    load: async () => (await import('./operator.ts')).operator,
  },
  migrate: {
    summary: 'Bring the database schema up to date',
    load: async () => (await import('./migrate.ts')).migrate,
  },
  status: {
    summary: 'Say how sponsor, channels and settlements stand; write nothing',
    load: async () => (await import('./status.ts')).status,
  },
  doctor: {
    summary: 'Look for what is wrong and say what to do; write nothing',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  provision: {
    summary: 'Create missing channel accounts',
    load: async () => (await import('./provision.ts')).provision,
  },
  retire: {
    summary: 'Merge every channel account back into the sponsor',
    load: async () => (await import('./retire.ts')).retire,
  },
  settlements: {
    summary: 'Look at settlements, end what only an operator can',
    load: async () => (await import('./settlements.ts')).settlements,
  },
  crds: {
    summary: 'Print the definitions of the Kubernetes resources',
    load: async () => (await import('./crds.ts')).crds,
  },
  keys: {
    summary: 'Make API keys',
    load: async () => (await import('./keys.ts')).keys,
  },
  localnet: {
    summary: 'Run an embedded Stellar network',
    load: async () => (await import('./localnet.ts')).run,
  },
  demo: {
    summary: 'Run a whole demo on an embedded network and pay once',
    load: async () => (await import('./demo.ts')).demo,
  },
  pay: {
    summary: 'Make one paid call with the stock x402 client',
    load: async () => (await import('./pay.ts')).pay,
  },
}

const usage = [
  'svc <command> [options]',
  '',
  ...Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(13)}${summary}`),
  '',
  'svc <command> --help says more about one of them.',
  '',
].join('\n')

async function main([name, ...args]: readonly string[]): Promise<number> {
  if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR) {
    process.stderr.write(
      `svc needs Node ${NODE_MAJOR} or newer, this is ${process.versions.node}; ` +
        'npx and make bring the right one: npx svc <command>\n',
    )
    return EX_USAGE
  }
  if (name === 'help' && args.length > 0) return main([...args, '--help'])
  if (name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(usage)
    return 0
  }
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined
  if (name === undefined || command === undefined) {
    process.stderr.write(
      `${name === undefined ? 'no command' : `no command "${name}"`}\n\n${usage}`,
    )
    return EX_USAGE
  }
  const run = await command.load()
  try {
    return await run(args)
  } catch (error) {
    if (!(error instanceof Error) || !isUsageError(error)) throw error
    process.stderr.write(`svc ${name}: ${error.message}\nsvc ${name} --help says what it takes.\n`)
    return EX_USAGE
  }
}

/** Ours, or the argument parser's own. */
function isUsageError(error: Error & { code?: unknown }): boolean {
  return error.name === 'UsageError' || String(error.code).startsWith('ERR_PARSE_ARGS')
}

// Without their types and compiled once, sources and libraries load in half the time and 25 MB less
// (docs/performance.md). Beside the code rather than in the folder for temporary files: there anybody
// could put what runs here. Where it cannot be written this does nothing; NODE_COMPILE_CACHE wins.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/svc', import.meta.url)))

// Exit rather than drain the event loop: a command that has returned has closed what it opened.
process.exit(await main(process.argv.slice(2)))
