import { databaseRoutes } from '../../support/database-routes.ts'
import { describeReplicaRaces } from './replica-races.ts'

const [direct] = databaseRoutes
describeReplicaRaces(direct, { repeats: 50, payments: 20, channels: 5, budgeted: 20 })
