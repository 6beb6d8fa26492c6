import { ingestRounds } from './play-rounds.ts'

// More of them: rounds.long.test.ts.
ingestRounds(1)
