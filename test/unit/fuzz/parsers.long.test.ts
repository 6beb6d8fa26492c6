import { describeFuzz } from './describe-fuzz.ts'

describeFuzz(50_000)
