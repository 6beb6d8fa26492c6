import { raceReplicas } from './race-rounds.ts'

raceReplicas(15)
