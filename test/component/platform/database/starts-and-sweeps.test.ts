import { startAndSweep } from './start-and-sweep-rounds.ts'

// More of them: starts-and-sweeps.long.test.ts.
startAndSweep({ starts: 15, sweeps: 3 })
