//! Contracts that stand for the parties of a settlement.
use soroban_sdk::{contract, contractimpl, Address, Env, Symbol, Val, Vec};

/// An account that accepts every signature: whether an authorization entry covers a call is up to the host alone.
#[contract]
pub struct Account;

#[contractimpl]
impl Account {
    #[allow(non_snake_case)]
    pub fn __check_auth(_payload: Val, _signature: Val, _context: Val) {}
}

/// A contract through which anybody calls anything.
#[contract]
pub struct Relay;

#[contractimpl]
impl Relay {
    pub fn relay(env: Env, contract: Address, function: Symbol, args: Vec<Val>) -> Val {
        env.invoke_contract(&contract, &function, args)
    }
}
