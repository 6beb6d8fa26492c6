import { startAndSweep } from './start-and-sweep-rounds.ts'

startAndSweep({ starts: 60, sweeps: 10 })
