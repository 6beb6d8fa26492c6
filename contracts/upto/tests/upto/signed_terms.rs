//! Whatever of the terms differs from what the payer signed, nothing moves: even if the authority agrees to it.
use crate::world::{Refusal, Terms, World, CEILING};

fn refuses(change: impl Fn(&World, &mut Terms)) {
    let world = World::new();
    let mut call = world.terms();
    change(&world, &mut call);
    let captured = world.sign(&world.terms());
    let entries = [captured, world.permit(&call.authority, &call, 400)];
    assert_eq!(world.settle_with(&call, 400, &entries), Err(Refusal::Other), "{call:?}");
    assert_eq!(world.settle(&world.terms(), CEILING), Ok(CEILING), "the attempt changed something");
}

#[test]
fn another_recipient_is_refused() {
    refuses(|world, call| call.to = world.other_payee.clone());
    refuses(|world, call| call.to = world.thief.clone());
    refuses(|world, call| call.to = world.authority.clone());
    refuses(|world, call| call.to = world.contract.clone());
    refuses(|world, call| call.to = world.payer.clone());
}

#[test]
fn another_token_is_refused() {
    refuses(|world, call| call.token = world.other_token.clone());
}

#[test]
fn another_payer_is_refused() {
    refuses(|world, call| call.from = world.other_payer.clone());
}

#[test]
fn another_ceiling_is_refused() {
    refuses(|_, call| call.max += 1);
    refuses(|_, call| call.max -= 1);
    refuses(|_, call| call.max = i128::MAX);
}

#[test]
fn another_expiration_is_refused() {
    refuses(|_, call| call.expiration += 1);
    refuses(|_, call| call.expiration -= 1);
}

#[test]
fn another_nonce_is_refused() {
    refuses(|_, call| call.nonce[31] ^= 1);
    refuses(|_, call| call.nonce[0] ^= 0x80);
}

/// A second contract of the same code is another spender, and the root of another authorization.
#[test]
fn another_contract_of_the_same_code_is_refused() {
    let world = World::new();
    let twin = world.env.register(crate::world::upto::WASM, ());
    let terms = world.terms();
    let entries = [world.sign(&terms), world.permit(&world.authority, &terms, 400)];
    assert!(!world.call(&twin, "settle", world.arguments(&terms, 400), &entries));
    assert_eq!(world.settle(&terms, 400), Ok(400));
}
