import { figuresEqualRecount } from './figures-property.ts'

// More of them: figures-equal-recount.long.test.ts.
figuresEqualRecount(6)
