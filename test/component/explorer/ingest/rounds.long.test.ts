import { ingestRounds } from './play-rounds.ts'

ingestRounds(10)
