import { databaseRoutes } from '../../support/database-routes.ts'
import { describeReplicaRaces } from './replica-races.ts'

const load = { repeats: 200, payments: 50, channels: 5, budgeted: 40 }
for (const route of databaseRoutes) describeReplicaRaces(route, load)
