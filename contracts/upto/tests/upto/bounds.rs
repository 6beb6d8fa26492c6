//! Each numbered error, and each bound at its edge. A refused call burns no nonce.
use crate::world::{Error, Refusal, Terms, World, CEILING, FIRST_LEDGER, MAX_ENTRY_TTL, WINDOW};

fn refuses(change: impl Fn(&mut Terms), actual: i128, error: Error) {
    let world = World::new();
    let mut terms = world.terms();
    change(&mut terms);
    assert_eq!(world.settle(&terms, actual), Err(Refusal::Settlement(error)), "{actual} of {terms:?}");
    assert_eq!(world.balance(&world.payee), 0);
    assert_eq!(world.settle(&world.terms(), CEILING), Ok(CEILING), "the nonce was burnt");
}

fn accepts(change: impl Fn(&mut Terms), actual: i128) {
    let world = World::new();
    let mut terms = world.terms();
    change(&mut terms);
    assert_eq!(world.settle(&terms, actual), Ok(actual), "{actual} of {terms:?}");
    assert_eq!(world.balance(&world.payee), actual);
}

#[test]
fn an_actual_amount_below_zero_is_error_1() {
    for actual in [-1, i128::MIN] {
        refuses(|_| (), actual, Error::NegativeAmount);
    }
}

#[test]
fn an_actual_amount_above_the_ceiling_is_error_2() {
    for actual in [CEILING + 1, i128::MAX] {
        refuses(|_| (), actual, Error::AmountAboveCeiling);
    }
    refuses(|terms| terms.max = i128::MAX - 1, i128::MAX, Error::AmountAboveCeiling);
}

#[test]
fn an_actual_amount_from_zero_to_the_ceiling_is_moved() {
    for actual in [0, 1, CEILING - 1, CEILING] {
        accepts(|_| (), actual);
    }
}

#[test]
fn a_ceiling_of_zero_or_less_is_error_3() {
    for ceiling in [0, -1, i128::MIN] {
        refuses(|terms| terms.max = ceiling, 0, Error::InvalidCeiling);
    }
}

#[test]
fn a_ceiling_may_be_any_positive_amount() {
    accepts(|terms| terms.max = 1, 1);
    accepts(|terms| terms.max = i128::MAX, CEILING);
}

#[test]
fn the_ledger_after_the_last_one_is_error_4() {
    for expiration in [FIRST_LEDGER - 1, 0] {
        refuses(|terms| terms.expiration = expiration, CEILING, Error::Expired);
    }
}

#[test]
fn the_last_ledger_and_the_one_before_it_are_in_time() {
    for expiration in [FIRST_LEDGER, FIRST_LEDGER + 1] {
        accepts(|terms| terms.expiration = expiration, CEILING);
    }
}

#[test]
fn an_authorization_expires_as_ledgers_close() {
    for (ledgers, outcome) in
        [(WINDOW - 1, Ok(CEILING)), (WINDOW, Ok(CEILING)), (WINDOW + 1, Err(Refusal::Settlement(Error::Expired)))]
    {
        let world = World::new();
        let terms = world.terms();
        world.advance(ledgers);
        assert_eq!(world.settle(&terms, CEILING), outcome, "{ledgers} ledgers later");
    }
}

/// The last ledger of any entry; the nonce needs one more than the authorization.
const LAST: u32 = FIRST_LEDGER + MAX_ENTRY_TTL - 1;

#[test]
fn an_expiration_that_no_entry_outlives_is_error_5() {
    for expiration in [LAST, LAST + 1, u32::MAX] {
        refuses(|terms| terms.expiration = expiration, CEILING, Error::ExpirationTooFar);
    }
}

#[test]
fn the_last_expiration_that_an_entry_outlives_is_accepted() {
    accepts(|terms| terms.expiration = LAST - 1, CEILING);
}

#[test]
fn a_used_nonce_is_error_6() {
    let world = World::new();
    world.settle(&world.terms(), 1).unwrap();
    assert_eq!(world.settle(&world.terms(), 1), Err(Refusal::Settlement(Error::NonceUsed)));
    assert_eq!(world.balance(&world.payee), 1);
}
