//! The test vectors of the published designs, against this contract. What of them does not apply is in
//! `docs/upto-contract.md`: A is #3134, B the contract profile of #3098, C rail402, D Vellar.
use crate::world::{Error, Refusal, Terms, World, BALANCE, CEILING, FIRST_LEDGER, MAX_ENTRY_TTL, WINDOW};
use soroban_sdk::testutils::storage::Temporary as _;

fn refused(error: Error) -> Result<i128, Refusal> {
    Err(Refusal::Settlement(error))
}

/// The outcome for the usual terms with a change that payer and authority agree to.
fn agreed(change: impl Fn(&mut Terms), actual: i128) -> Result<i128, Refusal> {
    let world = World::new();
    let mut terms = world.terms();
    change(&mut terms);
    world.settle(&terms, actual)
}

/// The outcome for a call with a change that the payer did not sign, and that the authority agrees to.
fn tampered(change: impl Fn(&World, &mut Terms)) -> Result<i128, Refusal> {
    let world = World::new();
    let mut call = world.terms();
    change(&world, &mut call);
    let entries = [world.sign(&world.terms()), world.permit(&call.authority, &call, 1)];
    let outcome = world.settle_with(&call, 1, &entries);
    assert_eq!(world.balance(&world.payer), BALANCE);
    outcome
}

#[test]
fn design_a_settles_the_maximum_a_part_of_it_and_zero() {
    for actual in [CEILING, CEILING / 2, 0] {
        assert_eq!(agreed(|_| (), actual), Ok(actual));
    }
}

#[test]
fn design_a_expired() {
    assert_eq!(agreed(|terms| terms.expiration = FIRST_LEDGER - 1, 1), refused(Error::Expired));
}

#[test]
fn design_a_invalid_amount() {
    assert_eq!(agreed(|_| (), -1), refused(Error::NegativeAmount));
    assert_eq!(agreed(|_| (), CEILING + 1), refused(Error::AmountAboveCeiling));
    assert_eq!(agreed(|terms| terms.max = 0, 0), refused(Error::InvalidCeiling));
}

#[test]
fn design_a_each_signed_member_is_bound() {
    let changes: [fn(&World, &mut Terms); 5] = [
        |world, call| call.to = world.other_payee.clone(),
        |world, call| call.token = world.other_token.clone(),
        |_, call| call.max += 1,
        |_, call| call.expiration += 1,
        |_, call| call.nonce[0] ^= 1,
    ];
    for change in changes {
        assert_eq!(tampered(change), Err(Refusal::Other));
    }
}

/// There: the host's nonce alone. Here that of the contract besides, so that its error tells the replay.
#[test]
fn design_a_the_same_entry_settles_once() {
    let world = World::new();
    let terms = world.terms();
    let entry = world.sign(&terms);
    for expected in [Ok(1), refused(Error::NonceUsed)] {
        let entries = [entry.clone(), world.permit(&world.authority, &terms, 1)];
        assert_eq!(world.settle_with(&terms, 1, &entries), expected);
    }
}

/// There the allowance is revoked on request; here what is left of it is of no use.
#[test]
fn design_a_what_is_left_after_a_part_cannot_be_spent() {
    let world = World::new();
    let terms = world.terms();
    world.settle(&terms, 1).unwrap();
    assert_eq!(world.settle(&terms, CEILING - 1), refused(Error::NonceUsed));
    let spend = world.vals((&world.contract, &world.payer, &world.payee, CEILING - 1));
    assert!(!world.call(&world.token, "transfer_from", spend, &[]));
}

#[test]
fn design_b_only_the_named_facilitator_settles() {
    let world = World::new();
    let terms = world.terms();
    let entries = [world.sign(&terms), world.permit(&world.thief, &terms, 1)];
    assert_eq!(world.settle_with(&terms, 1, &entries), Err(Refusal::Other));
    assert_eq!(tampered(|world, call| call.authority = world.thief.clone()), Err(Refusal::Other));
}

#[test]
fn design_b_authorization_consumed() {
    let world = World::new();
    world.settle(&world.terms(), 0).unwrap();
    assert_eq!(world.settle(&world.terms(), 1), refused(Error::NonceUsed));
}

#[test]
fn design_b_the_contract_keeps_no_balance() {
    for actual in [0, 1, CEILING] {
        let world = World::new();
        world.settle(&world.terms(), actual).unwrap();
        assert_eq!(world.balance(&world.contract), 0);
        assert_eq!(world.balance(&world.payer) + world.balance(&world.payee), BALANCE);
    }
}

#[test]
fn design_c_settlement_exceeds_authorized() {
    assert_eq!(agreed(|_| (), CEILING + 1), refused(Error::AmountAboveCeiling));
}

#[test]
fn design_c_authorization_expired() {
    let world = World::new();
    let terms = world.terms();
    world.advance(WINDOW + 1);
    assert_eq!(world.settle(&terms, 1), refused(Error::Expired));
}

#[test]
fn design_c_authorization_already_used() {
    let world = World::new();
    world.settle(&world.terms(), 1).unwrap();
    assert_eq!(world.settle(&world.terms(), 1), refused(Error::NonceUsed));
    let mut other = world.terms();
    other.from = world.other_payer.clone();
    assert_eq!(world.settle(&other, 1), Ok(1), "the key has the payer");
}

#[test]
fn design_c_negative_amount() {
    assert_eq!(agreed(|_| (), -1), refused(Error::NegativeAmount));
}

/// There 17,280 ledgers at most; here what the network can store the nonce for.
#[test]
fn design_c_invalid_expiration() {
    let last = FIRST_LEDGER + MAX_ENTRY_TTL - 1;
    assert_eq!(agreed(|terms| terms.expiration = last, 1), refused(Error::ExpirationTooFar));
    assert_eq!(agreed(|terms| terms.expiration = last - 1, 1), Ok(1));
}

#[test]
fn design_c_zero_consumes_the_nonce_and_approves_nothing() {
    let world = World::new();
    world.settle(&world.terms(), 0).unwrap();
    assert_eq!(world.allowance(), 0);
    assert_eq!(world.settle(&world.terms(), 0), refused(Error::NonceUsed));
}

/// Amount not negative, not above the ceiling, in time, nonce unused.
#[test]
fn design_d_order_of_checks() {
    let world = World::new();
    let mut terms = world.terms();
    world.settle(&terms, 0).unwrap();
    terms.expiration = world.ledger() - 1;
    for (actual, error) in [(-1, Error::NegativeAmount), (CEILING + 1, Error::AmountAboveCeiling), (1, Error::Expired)]
    {
        assert_eq!(world.settle(&terms, actual), refused(error));
    }
    assert_eq!(world.settle(&world.terms(), 1), refused(Error::NonceUsed));
}

/// There until the last ledger of the authorization; here one longer.
#[test]
fn design_d_nonce_outlives_the_authorization() {
    let world = World::new();
    let terms = world.terms();
    world.settle(&terms, 1).unwrap();
    world.advance(WINDOW);
    assert_eq!(world.settle(&terms, 1), refused(Error::NonceUsed));
    world.env.as_contract(&world.contract, || {
        let key = (&world.payer, world.bytes(&terms.nonce));
        assert_eq!(world.env.storage().temporary().get_ttl(&key), 1);
    });
}

#[test]
fn design_d_recipient_ceiling_and_expiry_are_bound() {
    let changes: [fn(&World, &mut Terms); 3] = [
        |world, call| call.to = world.thief.clone(),
        |_, call| call.max = i128::MAX,
        |_, call| call.expiration = FIRST_LEDGER + MAX_ENTRY_TTL - 2,
    ];
    for change in changes {
        assert_eq!(tampered(change), Err(Refusal::Other));
    }
}
