#!/usr/bin/env -S node --max-semi-space-size=8
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Command } from './command/command.ts'

/*
 * `svc <command>`: finds the command, runs it, exits with its code. A command is loaded only when it
 * runs, because each has its own dependencies.
 *
 * The first line limits V8's space for young objects, as the image does: without, 300 requests in flight
 * double the memory (docs/performance.md). V8 takes the limit only from the command line.
 */

/** The oldest version of Node that can run these sources. */
const NODE_MAJOR = 24
/** Exit code for a command line that was not understood (`EX_USAGE` of sysexits.h). */
const EX_USAGE = 64

interface Entry {
  /** Beside the summary of the command itself, which would have to be loaded for it. */
  readonly summary: string
  readonly load: () => Promise<Command>
}

const commands: Readonly<Record<string, Entry>> = {
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
    summary: 'Show the state of sponsor, channels and settlements; write nothing',
    load: async () => (await import('./status.ts')).status,
  },
  doctor: {
    summary: 'Find what keeps payments from being made, say what to do; write nothing',
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
    summary: 'Show settlements, end those that only an administrator can end',
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
    load: async () => (await import('./localnet.ts')).localnet,
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
  const entry = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined
  if (entry === undefined) {
    process.stderr.write(
      `${name === undefined ? 'no command' : `no command "${name}"`}\n\n${usage}`,
    )
    return EX_USAGE
  }
  const command = await entry.load()
  return command(args)
}

// Compiled code is kept between runs: a start takes half the time and 25 MB less (docs/performance.md).
// The folder is beside the code, not among temporary files, where any user could plant code. Where it
// cannot be written this does nothing; NODE_COMPILE_CACHE wins.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/svc', import.meta.url)))

// Does not wait for the event loop to drain: a command that has returned has closed what it opened.
process.exit(await main(process.argv.slice(2)))
