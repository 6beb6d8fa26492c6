import { describeFuzz } from './describe-fuzz.ts'

describeFuzz(300)
