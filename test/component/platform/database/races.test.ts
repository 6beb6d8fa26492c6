import { raceReplicas } from './race-rounds.ts'

// More of them: races.long.test.ts.
raceReplicas(5)
