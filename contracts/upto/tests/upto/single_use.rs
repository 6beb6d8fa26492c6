//! An authorization settles once.
use crate::world::{Error, Refusal, World, CEILING, WINDOW};

#[test]
fn the_same_entries_settle_once() {
    let world = World::new();
    let terms = world.terms();
    let entries = [world.sign(&terms), world.permit(&world.authority, &terms, 400)];
    assert_eq!(world.settle_with(&terms, 400, &entries), Ok(400));
    assert!(world.settle_with(&terms, 400, &entries).is_err());
    assert_eq!(world.balance(&world.payee), 400);
}

/// The host's own nonces are new each time: the contract alone refuses.
#[test]
fn terms_that_payer_and_authority_sign_anew_settle_once_in_every_ledger_of_the_authorization() {
    let world = World::new();
    let terms = world.terms();
    world.settle(&terms, 400).unwrap();
    for _ in 0..=WINDOW {
        assert_eq!(world.settle(&terms, 400), Err(Refusal::Settlement(Error::NonceUsed)));
        world.advance(1);
    }
    assert_eq!(world.settle(&terms, 400), Err(Refusal::Settlement(Error::Expired)));
    assert_eq!(world.balance(&world.payee), 400);
}

#[test]
fn a_nonce_settles_once_whatever_else_its_payer_signs() {
    let world = World::new();
    world.settle(&world.terms(), 1).unwrap();
    let mut others = [world.terms(), world.terms(), world.terms(), world.terms()];
    others[0].to = world.other_payee.clone();
    others[1].token = world.other_token.clone();
    others[2].max = CEILING * 2;
    others[3].authority = world.other_authority.clone();
    for terms in others {
        assert_eq!(world.settle(&terms, 1), Err(Refusal::Settlement(Error::NonceUsed)), "{terms:?}");
    }
}

#[test]
fn another_payer_may_use_the_same_nonce() {
    let world = World::new();
    world.settle(&world.terms(), 1).unwrap();
    let mut terms = world.terms();
    terms.from = world.other_payer.clone();
    assert_eq!(world.settle(&terms, 2), Ok(2));
}

#[test]
fn nobody_burns_the_nonce_of_another() {
    let world = World::new();
    let terms = world.terms();
    // Without the payer, and by the thief in the payer's place.
    assert_eq!(world.settle_with(&terms, 0, &[world.permit(&world.authority, &terms, 0)]), Err(Refusal::Other));
    let mut own = world.terms();
    own.from = world.thief.clone();
    own.authority = world.thief.clone();
    assert_eq!(world.settle(&own, 0), Ok(0));
    assert_eq!(world.settle(&terms, CEILING), Ok(CEILING));
}

/// Only an expiration that no longer holds lets the entry go, so a nonce may return in terms of later ledgers.
#[test]
fn a_nonce_whose_authorization_expired_is_new_again() {
    let world = World::new();
    world.settle(&world.terms(), 1).unwrap();
    world.advance(WINDOW + 2);
    assert_eq!(world.settle(&world.terms(), 1), Ok(1));
}
