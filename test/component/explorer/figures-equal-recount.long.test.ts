import { figuresEqualRecount } from './figures-property.ts'

figuresEqualRecount(25)
