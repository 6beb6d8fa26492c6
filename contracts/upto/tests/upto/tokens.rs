//! What a token that the payer signed for can do, when its code is hostile.
use crate::world::{Terms, World, BALANCE, CEILING};
use soroban_sdk::{
    contract, contractimpl, contracttype, symbol_short, token::TokenClient, Address, Env, Symbol, Val, Vec,
};

/// What the token does whenever it is called, in place of a transfer.
#[contracttype]
#[derive(Clone)]
pub enum Trick {
    Nothing,
    Call(Address, Symbol, Vec<Val>),
}

#[contract]
pub struct HostileToken;

#[contractimpl]
impl HostileToken {
    pub fn teach(env: Env, trick: Trick) {
        env.storage().instance().set(&symbol_short!("trick"), &trick);
    }

    pub fn approve(env: Env, _from: Address, _spender: Address, _amount: i128, _expiration_ledger: u32) {
        play(&env);
    }

    pub fn transfer_from(env: Env, _spender: Address, _from: Address, _to: Address, _amount: i128) {
        play(&env);
    }
}

fn play(env: &Env) {
    if let Some(Trick::Call(contract, function, args)) = env.storage().instance().get(&symbol_short!("trick")) {
        env.invoke_contract::<Val>(&contract, &function, args);
    }
}

/// Terms with a hostile token, signed by a payer whose real tokens the contract may still spend some of.
fn hostile(world: &World) -> Terms {
    let mut real = world.terms();
    real.nonce = [1; 32];
    world.settle(&real, 1).unwrap();
    let mut terms = world.terms();
    terms.token = world.env.register(HostileToken, ());
    terms
}

fn teach(world: &World, token: &Address, contract: &Address, function: &str, args: Vec<Val>) {
    let trick = Trick::Call(contract.clone(), Symbol::new(&world.env, function), args);
    assert!(world.call(token, "teach", world.vals((trick,)), &[]));
}

#[test]
fn it_can_pretend_to_have_moved_itself() {
    let world = World::new();
    let terms = hostile(&world);
    assert_eq!(world.settle(&terms, CEILING), Ok(CEILING));
    assert_eq!(world.balance(&world.payer), BALANCE - 1);
}

/// The host forbids it.
#[test]
fn it_cannot_settle_from_within_a_settlement() {
    let world = World::new();
    let terms = hostile(&world);
    let mut real = world.terms();
    real.nonce = [2; 32];
    teach(&world, &terms.token, &world.contract, "settle", world.arguments(&real, CEILING));
    let entries = [
        world.sign(&terms),
        world.permit(&world.authority, &terms, CEILING),
        world.sign(&real),
        world.permit(&world.authority, &real, CEILING),
    ];
    assert!(world.settle_with(&terms, CEILING, &entries).is_err());
    assert_eq!(world.balance(&world.payer), BALANCE - 1);
}

/// The contract authorizes the calls that it makes itself, not those of the contracts that it calls.
#[test]
fn it_cannot_spend_what_the_contract_may() {
    let world = World::new();
    let terms = hostile(&world);
    for args in
        [(&world.contract, &world.payer, &world.thief, 1i128), (&terms.token, &world.payer, &world.thief, 1i128)]
    {
        teach(&world, &terms.token, &world.token, "transfer_from", world.vals(args));
        assert!(world.settle(&terms, CEILING).is_err());
    }
    assert_eq!(world.balance(&world.payer), BALANCE - 1);
}

#[test]
fn it_cannot_use_the_payer_s_signature_for_another_token() {
    let world = World::new();
    let terms = hostile(&world);
    for (function, args) in [
        ("transfer", world.vals((&world.payer, &world.thief, 1i128))),
        ("approve", world.vals((&world.payer, &world.thief, CEILING, terms.expiration))),
        ("approve", world.vals((&world.payer, &world.contract, CEILING, terms.expiration))),
    ] {
        teach(&world, &terms.token, &world.token, function, args);
        assert!(world.settle(&terms, CEILING).is_err(), "{function}");
    }
    assert_eq!(world.balance(&world.payer), BALANCE - 1);
    assert_eq!(TokenClient::new(&world.env, &world.token).allowance(&world.payer, &world.thief), 0);
}

#[test]
fn a_token_that_fails_burns_no_nonce() {
    let world = World::new();
    let terms = hostile(&world);
    teach(&world, &terms.token, &world.token, "no_such_function", world.vals(()));
    assert!(world.settle(&terms, CEILING).is_err());
    assert!(world.call(&terms.token, "teach", world.vals((Trick::Nothing,)), &[]));
    assert_eq!(world.settle(&terms, CEILING), Ok(CEILING));
}

#[test]
fn a_payer_without_the_amount_keeps_its_nonce() {
    let world = World::new();
    let mut terms = world.terms();
    terms.max = BALANCE + 1;
    assert!(world.settle(&terms, BALANCE + 1).is_err());
    assert_eq!(world.settle(&terms, BALANCE), Ok(BALANCE));
}
