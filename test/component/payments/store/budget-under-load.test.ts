import { loadBudget } from './budget-load.ts'

// More of them: budget-under-load.long.test.ts.
loadBudget([1])
