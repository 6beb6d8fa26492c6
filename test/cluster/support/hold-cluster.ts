/** Starts a cluster, prints its data folder, and keeps it running until this process ends. */
import { dirname } from 'node:path'
import { startCluster } from './cluster.ts'

await using cluster = await startCluster()
process.stdout.write(`${dirname(cluster.logFolder)}\n`)
await new Promise((resolve) => process.stdin.resume().once('end', resolve))
