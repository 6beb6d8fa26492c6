import { xdr } from '@stellar/stellar-sdk'

/** A token amount as a contract takes it. */
export const i128Value = (value: bigint): xdr.ScVal =>
  xdr.ScVal.scvI128(new xdr.Int128Parts({ hi: value >> 64n, lo: BigInt.asUintN(64, value) }))
