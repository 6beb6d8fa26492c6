import { loadBudget } from './budget-load.ts'

loadBudget([2, 3])
