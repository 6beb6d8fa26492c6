//! Settlement contract of the x402 scheme `upto`, profile `authority-v1`: the payer signs a ceiling, and one named
//! authority settles at most that, once, before the authorization expires. `docs/upto-contract.md` has the proofs.
//!
//! Comments on what the contract's specification describes are `//`: others would be stored in the ledger.
#![no_std]
use soroban_sdk::{
    contract, contracterror, contractevent, contractimpl, panic_with_error, token::TokenClient, Address, BytesN, Env,
    IntoVal, Val,
};

#[contracterror]
#[derive(Clone, Copy, Debug, Eq, PartialEq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Error {
    // The actual amount is below zero.
    NegativeAmount = 1,
    // The actual amount is above the ceiling that the payer signed.
    AmountAboveCeiling = 2,
    // The ceiling is zero or less.
    InvalidCeiling = 3,
    // The ledger is after the last one that the payer signed for.
    Expired = 4,
    // The network keeps no entry as long as until the ledger after the last one.
    ExpirationTooFar = 5,
    // An earlier settlement used the payer's nonce.
    NonceUsed = 6,
}

// Published by every settlement, one of zero included.
#[contractevent(topics = ["upto_settled"], data_format = "vec")]
pub struct UptoSettled {
    #[topic]
    pub from: Address,
    pub ceiling: i128,
    pub actual: i128,
}

#[contract]
pub struct Upto;

#[contractimpl]
impl Upto {
    // Moves `actual_amount` of `token` from `from` to `to`. Returns it.
    //
    // `from` authorizes `(token, to, max_amount, expiration_ledger, nonce, authority)` with one call below it:
    // `approve(from, this contract, max_amount, expiration_ledger)` of `token`. `authority` authorizes this call.
    #[allow(clippy::too_many_arguments)]
    pub fn settle(
        env: Env,
        token: Address,
        from: Address,
        to: Address,
        max_amount: i128,
        expiration_ledger: u32,
        nonce: BytesN<32>,
        actual_amount: i128,
        authority: Address,
    ) -> i128 {
        if actual_amount < 0 {
            panic_with_error!(&env, Error::NegativeAmount);
        }
        if max_amount <= 0 {
            panic_with_error!(&env, Error::InvalidCeiling);
        }
        if actual_amount > max_amount {
            panic_with_error!(&env, Error::AmountAboveCeiling);
        }
        let ledger = env.ledger().sequence();
        if ledger > expiration_ledger {
            panic_with_error!(&env, Error::Expired);
        }
        let ledgers_left = expiration_ledger - ledger;
        if ledgers_left >= env.storage().max_ttl() {
            panic_with_error!(&env, Error::ExpirationTooFar);
        }

        // No contract of others runs between the look-up of the nonce and its use. Whatever fails below undoes its use.
        let used: Val = (&from, &nonce).into_val(&env);
        let nonces = env.storage().temporary();
        if nonces.has(&used) {
            panic_with_error!(&env, Error::NonceUsed);
        }
        nonces.set(&used, &());
        // The entry outlives the last ledger of the authorization.
        nonces.extend_ttl(&used, ledgers_left + 1, ledgers_left + 1);

        authority.require_auth();
        let signed = (&token, &to, max_amount, expiration_ledger, &nonce, &authority);
        from.require_auth_for_args(signed.into_val(&env));

        if actual_amount > 0 {
            let itself = env.current_contract_address();
            let token = TokenClient::new(&env, &token);
            token.approve(&from, &itself, &max_amount, &expiration_ledger);
            token.transfer_from(&itself, &from, &to, &actual_amount);
        }
        UptoSettled { from, ceiling: max_amount, actual: actual_amount }.publish(&env);
        actual_amount
    }
}
