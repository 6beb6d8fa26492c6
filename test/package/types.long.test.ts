import { typeChecksBeside } from './types.ts'

typeChecksBeside('stock-2.9')
