/** SHA-256 of `contracts/upto/upto.wasm`. Made from `upto.sha256` beside it by `make generate`. */
export const UPTO_CODE_HASH = 'f43c38fc0e9264b42f2578516f7f35a524dfac35df1f953fbe8642b1fe9c7510'
