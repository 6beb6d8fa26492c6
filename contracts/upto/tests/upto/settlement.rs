//! What a settlement returns, publishes and stores.
use crate::world::{upto, World, BALANCE, CEILING, WINDOW};
use soroban_sdk::{
    testutils::{
        storage::{Instance as _, Persistent as _, Temporary as _},
        Events as _,
    },
    xdr::{ContractEventBody, ScVal},
    IntoVal, Symbol, TryFromVal as _, Val,
};

/// Topics and data of the events of the contract, in order.
fn published(world: &World) -> std::vec::Vec<(std::vec::Vec<ScVal>, ScVal)> {
    world
        .env
        .events()
        .all()
        .filter_by_contract(&world.contract)
        .events()
        .iter()
        .map(|event| {
            let ContractEventBody::V0(body) = &event.body;
            (body.topics.to_vec(), body.data.clone())
        })
        .collect()
}

#[test]
fn moves_what_it_returns_and_leaves_the_rest_with_the_payer() {
    let world = World::new();
    assert_eq!(world.settle(&world.terms(), 400), Ok(400));
    assert_eq!(world.balance(&world.payee), 400);
    assert_eq!(world.balance(&world.payer), BALANCE - 400);
    assert_eq!(world.balance(&world.contract), 0);
}

#[test]
fn publishes_payer_ceiling_and_actual_amount_each_time() {
    for actual in [0, 400, CEILING] {
        let world = World::new();
        world.settle(&world.terms(), actual).unwrap();
        let events = published(&world);
        let scval = |val: Val| ScVal::try_from_val(&world.env, &val).unwrap();
        let topics = [Symbol::new(&world.env, "upto_settled").into_val(&world.env), world.payer.into_val(&world.env)];
        let data = world.vals((CEILING, actual));
        assert_eq!(events, [(topics.map(scval).to_vec(), scval(data.into_val(&world.env)))]);
    }
}

#[test]
fn of_zero_burns_the_nonce_and_calls_no_token() {
    let world = World::new();
    world.settle(&world.terms(), 0).unwrap();
    assert_eq!(world.env.events().all().events().len(), 1);
    assert_eq!(world.allowance(), 0);
    assert_eq!(world.balance(&world.payer), BALANCE);
    assert!(world.settle(&world.terms(), 0).is_err());
    assert!(world.settle(&world.terms(), CEILING).is_err());
}

#[test]
fn of_zero_needs_no_allowance_in_the_signed_calls_of_the_token() {
    let world = World::new();
    let mut terms = world.terms();
    // A token that is no contract: nothing calls it.
    terms.token = world.payee.clone();
    assert_eq!(world.settle(&terms, 0), Ok(0));
}

#[test]
fn stores_the_nonce_until_one_ledger_after_the_authorization() {
    for actual in [0, CEILING] {
        let world = World::new();
        world.settle(&world.terms(), actual).unwrap();
        world.env.as_contract(&world.contract, || {
            let key = (&world.payer, world.bytes(&[7; 32]));
            let nonces = world.env.storage().temporary();
            assert_eq!(nonces.get::<_, ()>(&key), Some(()));
            // The TTL does not count the current ledger.
            assert_eq!(nonces.get_ttl(&key), WINDOW + 1);
        });
    }
}

/// Of zero, since these lists have the entries of all contracts.
#[test]
fn stores_nothing_else() {
    let world = World::new();
    let stored = || {
        world.env.as_contract(&world.contract, || {
            let storage = world.env.storage();
            (storage.temporary().all().len(), storage.persistent().all().len(), storage.instance().all().len())
        })
    };
    let (temporary, persistent, instance) = stored();
    world.settle(&world.terms(), 0).unwrap();
    assert_eq!(stored(), (temporary + 1, persistent, instance));
    assert_eq!(instance, 0);
}

#[test]
fn has_six_numbered_errors() {
    use upto::Error::*;
    let numbers = [NegativeAmount, AmountAboveCeiling, InvalidCeiling, Expired, ExpirationTooFar, NonceUsed];
    assert_eq!(numbers.map(|error| error as u32), [1, 2, 3, 4, 5, 6]);
}
