//! Only the authority that the payer named settles, and only as it authorized.
use crate::world::{invocation, Refusal, World, CEILING};

#[test]
fn a_captured_entry_of_the_payer_is_worthless_without_the_authority() {
    let world = World::new();
    let terms = world.terms();
    for actual in [0, CEILING] {
        let captured = [world.sign(&terms)];
        assert_eq!(world.settle_with(&terms, actual, &captured), Err(Refusal::Other));
        // With the own signature of a thief, or through a contract.
        let with_own = [world.sign(&terms), world.permit(&world.thief, &terms, actual)];
        assert_eq!(world.settle_with(&terms, actual, &with_own), Err(Refusal::Other));
        assert!(!world.relay(&world.contract, "settle", world.arguments(&terms, actual), &[world.sign(&terms)]));
    }
    assert_eq!(world.settle(&terms, CEILING), Ok(CEILING), "the attempts changed something");
}

#[test]
fn another_authority_cannot_take_the_place_of_the_signed_one() {
    let world = World::new();
    let mut call = world.terms();
    for other in [&world.thief, &world.other_authority, &world.payee] {
        call.authority = other.clone();
        let entries = [world.sign(&world.terms()), world.permit(other, &call, CEILING)];
        assert_eq!(world.settle_with(&call, CEILING, &entries), Err(Refusal::Other));
    }
}

#[test]
fn the_contract_is_nobody_s_authority() {
    let world = World::new();
    let mut terms = world.terms();
    terms.authority = world.contract.clone();
    let captured = [world.sign(&terms)];
    assert_eq!(world.settle_with(&terms, CEILING, &captured), Err(Refusal::Other));
    let captured = [world.sign(&terms)];
    assert!(!world.relay(&world.contract, "settle", world.arguments(&terms, CEILING), &captured));
}

#[test]
fn an_authority_authorizes_one_amount_of_one_payment() {
    let world = World::new();
    let terms = world.terms();
    let mut others = [world.terms(), world.terms(), world.terms()];
    others[0].nonce = [8; 32];
    others[1].to = world.other_payee.clone();
    others[2].from = world.other_payer.clone();
    for other in others {
        let entries = [world.sign(&terms), world.permit(&world.authority, &other, 400)];
        assert_eq!(world.settle_with(&terms, 400, &entries), Err(Refusal::Other), "{other:?}");
    }
    let entries = [world.sign(&terms), world.permit(&world.authority, &terms, 399)];
    assert_eq!(world.settle_with(&terms, 400, &entries), Err(Refusal::Other));
}

#[test]
fn an_authority_alone_takes_nothing() {
    let world = World::new();
    let terms = world.terms();
    let alone = [world.permit(&world.authority, &terms, CEILING)];
    assert_eq!(world.settle_with(&terms, CEILING, &alone), Err(Refusal::Other));
}

/// The contract is never the payer: nobody can authorize a call in its name.
#[test]
fn tokens_sent_to_the_contract_belong_to_nobody() {
    let world = World::new();
    let mut terms = world.terms();
    terms.to = world.contract.clone();
    world.settle(&terms, 400).unwrap();
    let mut theft = world.terms();
    theft.from = world.contract.clone();
    theft.to = world.thief.clone();
    theft.authority = world.thief.clone();
    theft.nonce = [9; 32];
    let entries = [world.sign(&theft), world.permit(&world.thief, &theft, 400)];
    assert_eq!(world.settle_with(&theft, 400, &entries), Err(Refusal::Other));
    assert_eq!(world.balance(&world.contract), 400);
}

#[test]
fn a_payer_that_signed_no_allowance_pays_nothing() {
    let world = World::new();
    let terms = world.terms();
    let signed = world.sign(&terms).root_invocation.function;
    let mut without = invocation(&world.contract, "settle", world.arguments(&terms, 1), std::vec![]);
    without.function = signed;
    let entries = [world.entry(&world.payer, without), world.permit(&world.authority, &terms, 1)];
    assert_eq!(world.settle_with(&terms, 1, &entries), Err(Refusal::Other));
    assert_eq!(world.settle(&terms, CEILING), Ok(CEILING));
}
