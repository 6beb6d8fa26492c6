//! What a settlement leaves of the allowance is of use to nobody.
use crate::world::{invocation, Terms, World, BALANCE, CEILING};
use soroban_sdk::{xdr::SorobanAuthorizationEntry, Val, Vec};

const ACTUAL: i128 = 400;
const RESIDUE: i128 = CEILING - ACTUAL;

/// A world in which the contract may still spend some of the payer's tokens.
fn settled() -> (World, Terms) {
    let world = World::new();
    let terms = world.terms();
    world.settle(&terms, ACTUAL).unwrap();
    assert_eq!(world.allowance(), RESIDUE);
    (world, terms)
}

/// Nothing that the thief, the payee or the authority sign makes these calls pass, nor what they captured.
fn nobody_calls(contract: impl Fn(&World) -> soroban_sdk::Address, function: &str, args: impl Fn(&World) -> Vec<Val>) {
    let (world, terms) = settled();
    let contract = contract(&world);
    let signers = [&world.thief, &world.payee, &world.authority];
    let mut entries: std::vec::Vec<SorobanAuthorizationEntry> =
        signers.map(|signer| world.entry(signer, invocation(&contract, function, args(&world), std::vec![]))).to_vec();
    entries.push(world.sign(&terms));
    entries.push(world.permit(&world.authority, &terms, RESIDUE));
    assert!(!world.call(&contract, function, args(&world), &entries), "{function}");
    assert!(!world.relay(&contract, function, args(&world), &entries), "{function}, relayed");
    assert_eq!(world.balance(&world.payer), BALANCE - ACTUAL);
    assert_eq!(world.balance(&world.thief), 0);
}

#[test]
fn no_direct_transfer_from_spends_it() {
    let token = |world: &World| world.token.clone();
    nobody_calls(token, "transfer_from", |world| world.vals((&world.contract, &world.payer, &world.thief, RESIDUE)));
    nobody_calls(token, "transfer_from", |world| world.vals((&world.thief, &world.payer, &world.thief, RESIDUE)));
    nobody_calls(token, "transfer_from", |world| world.vals((&world.authority, &world.payer, &world.payee, RESIDUE)));
    nobody_calls(token, "transfer_from", |world| world.vals((&world.relay, &world.payer, &world.thief, 1i128)));
}

#[test]
fn no_burn_from_spends_it() {
    nobody_calls(
        |world| world.token.clone(),
        "burn_from",
        |world| world.vals((&world.contract, &world.payer, RESIDUE)),
    );
}

#[test]
fn no_captured_approval_is_of_use_outside_of_its_settlement() {
    nobody_calls(
        |world| world.token.clone(),
        "approve",
        |world| world.vals((&world.payer, &world.contract, CEILING, world.terms().expiration)),
    );
    nobody_calls(
        |world| world.token.clone(),
        "approve",
        |world| world.vals((&world.payer, &world.thief, CEILING, world.terms().expiration)),
    );
}

#[test]
fn no_second_settlement_of_the_same_terms_spends_it() {
    nobody_calls(|world| world.contract.clone(), "settle", |world| world.arguments(&world.terms(), RESIDUE));
}

/// A settlement needs its own allowance: it does not add to that of another, nor take from it.
#[test]
fn the_next_settlement_replaces_it() {
    let (world, mut next) = settled();
    next.nonce = [8; 32];
    next.max = 10;
    assert!(world.settle(&next, 11).is_err());
    assert_eq!(world.settle(&next, 10), Ok(10));
    assert_eq!(world.allowance(), 0);
    assert_eq!(world.balance(&world.payer), BALANCE - ACTUAL - 10);
}

#[test]
fn a_settlement_of_zero_leaves_it_as_useless_as_it_was() {
    let (world, mut next) = settled();
    next.nonce = [8; 32];
    assert_eq!(world.settle(&next, 0), Ok(0));
    assert_eq!(world.allowance(), RESIDUE);
    assert!(world.settle(&next, RESIDUE).is_err());
}

#[test]
fn it_ends_with_the_authorization() {
    let (world, terms) = settled();
    world.advance(terms.expiration - world.ledger());
    assert_eq!(world.allowance(), RESIDUE);
    world.advance(1);
    assert_eq!(world.allowance(), 0);
}

/// An allowance that the payer gave by itself is not a settlement either.
#[test]
fn an_allowance_outside_of_a_settlement_settles_nothing() {
    let world = World::new();
    let terms = world.terms();
    let approval = world.vals((&world.payer, &world.contract, BALANCE, terms.expiration));
    let root = invocation(&world.token, "approve", approval.clone(), std::vec![]);
    assert!(world.call(&world.token, "approve", approval, &[world.entry(&world.payer, root)]));
    let alone = [world.permit(&world.authority, &terms, CEILING)];
    assert!(world.settle_with(&terms, CEILING, &alone).is_err());
    assert_eq!(world.balance(&world.payer), BALANCE);
    // The ceiling holds nevertheless, and the settlement takes the place of the allowance.
    assert!(world.settle(&terms, CEILING + 1).is_err());
    assert_eq!(world.settle(&terms, CEILING), Ok(CEILING));
    assert_eq!(world.allowance(), 0);
}
