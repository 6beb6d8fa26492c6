//! Random sequences of settlements, thefts and ledgers, compared after each step with a model of what each payer signed.
//!
//! `PROPTEST_CASES=20000 cargo test --profile fuzz properties` runs 20,000 sequences in place of 48.
use crate::world::{invocation, Error, Refusal, Terms, World, BALANCE, MAX_ENTRY_TTL};
use proptest::{prelude::*, sample::Index, test_runner::Config};
use soroban_sdk::{token::TokenClient, Address};
use std::collections::HashSet;

#[derive(Clone, Debug)]
enum Amount {
    /// From the ceiling on.
    NearCeiling(i128),
    Any(i128),
}

#[derive(Clone, Debug)]
struct Draft {
    payer: usize,
    payee: usize,
    token: usize,
    authority: usize,
    max: i128,
    window: u32,
    nonce: u8,
}

#[derive(Clone, Copy, Debug)]
enum Tamper {
    Token,
    From,
    To,
    Max(i128),
    Expiration(i64),
    Nonce,
    Authority,
}

#[derive(Clone, Copy, Debug)]
enum Settler {
    /// The authority of the call.
    Itself,
    /// Somebody who captured the payer's entry signs as who it is.
    Thief,
    Nobody,
}

#[derive(Clone, Copy, Debug)]
enum Theft {
    TransferFrom { as_contract: bool },
    BurnFrom,
    CapturedApprove,
    Transfer,
}

#[derive(Clone, Debug)]
enum Step {
    Sign(Draft),
    Settle { which: Index, actual: Amount, tamper: Option<Tamper>, settler: Settler, is_relayed: bool },
    Steal { which: Index, theft: Theft, amount: i128, is_relayed: bool },
    Advance(u32),
}

fn edges() -> impl Strategy<Value = i128> {
    prop_oneof![
        Just(i128::MIN),
        Just(-1),
        Just(0),
        Just(1),
        Just(i128::MAX),
        Just(BALANCE),
        1..BALANCE / 4,
        any::<i128>(),
    ]
}

fn drafts() -> impl Strategy<Value = Draft> {
    let max = prop_oneof![8 => 1..BALANCE / 4, 2 => edges()];
    let window = prop_oneof![8 => 0..12u32, 1 => Just(MAX_ENTRY_TTL - 2), 1 => Just(MAX_ENTRY_TTL - 1)];
    // Few nonces, so that they meet.
    (0..2usize, 0..2usize, 0..2usize, 0..2usize, max, window, 0..4u8).prop_map(
        |(payer, payee, token, authority, max, window, nonce)| Draft {
            payer,
            payee,
            token,
            authority,
            max,
            window,
            nonce,
        },
    )
}

fn tampers() -> impl Strategy<Value = Option<Tamper>> {
    prop_oneof![
        8 => Just(None),
        1 => Just(Some(Tamper::Token)),
        1 => Just(Some(Tamper::From)),
        1 => Just(Some(Tamper::To)),
        1 => prop_oneof![Just(1), Just(-1), edges()].prop_map(|by| Some(Tamper::Max(by))),
        1 => prop_oneof![Just(1i64), Just(-1), -20..20i64].prop_map(|by| Some(Tamper::Expiration(by))),
        1 => Just(Some(Tamper::Nonce)),
        1 => Just(Some(Tamper::Authority)),
    ]
}

fn steps() -> impl Strategy<Value = Step> {
    let actual = prop_oneof![
        3 => (-2..3i128).prop_map(Amount::NearCeiling),
        3 => (1..1_000i128).prop_map(Amount::Any),
        2 => edges().prop_map(Amount::Any),
    ];
    let settler = prop_oneof![6 => Just(Settler::Itself), 1 => Just(Settler::Thief), 1 => Just(Settler::Nobody)];
    let theft = prop_oneof![
        any::<bool>().prop_map(|as_contract| Theft::TransferFrom { as_contract }),
        Just(Theft::BurnFrom),
        Just(Theft::CapturedApprove),
        Just(Theft::Transfer),
    ];
    prop_oneof![
        4 => drafts().prop_map(Step::Sign),
        8 => (any::<Index>(), actual, tampers(), settler, any::<bool>()).prop_map(
            |(which, actual, tamper, settler, is_relayed)| Step::Settle { which, actual, tamper, settler, is_relayed },
        ),
        3 => (any::<Index>(), theft, 1..BALANCE, any::<bool>())
            .prop_map(|(which, theft, amount, is_relayed)| Step::Steal { which, theft, amount, is_relayed }),
        2 => (0..8u32).prop_map(Step::Advance),
    ]
}

/// What each payer signed, and what may have moved of it.
struct Model {
    world: World,
    signed: std::vec::Vec<Terms>,
    /// Payer and nonce, with the last ledger of the terms that used it.
    used: std::vec::Vec<(Address, [u8; 32], u32)>,
    /// Ceilings of settled authorizations, by payer and token.
    ceilings: [[i128; 2]; 2],
    /// The same of what moved.
    paid: [[i128; 2]; 2],
    received: [[i128; 2]; 2],
}

impl Model {
    fn new() -> Self {
        let world = World::new();
        let [ceilings, paid, received] = [[[0; 2]; 2]; 3];
        Self { world, signed: std::vec![], used: std::vec![], ceilings, paid, received }
    }

    fn payers(&self) -> [&Address; 2] {
        [&self.world.payer, &self.world.other_payer]
    }

    fn payees(&self) -> [&Address; 2] {
        [&self.world.payee, &self.world.other_payee]
    }

    fn tokens(&self) -> [&Address; 2] {
        [&self.world.token, &self.world.other_token]
    }

    fn authorities(&self) -> [&Address; 2] {
        [&self.world.authority, &self.world.other_authority]
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Sign(draft) => self.sign(draft),
            Step::Advance(ledgers) => self.world.advance(ledgers),
            Step::Steal { which, theft, amount, is_relayed } => self.steal(which, theft, amount, is_relayed),
            Step::Settle { which, actual, tamper, settler, is_relayed } => {
                if self.signed.is_empty() {
                    return;
                }
                let signed = which.get(&self.signed).clone();
                let actual = match actual {
                    Amount::NearCeiling(by) => signed.max.saturating_add(by),
                    Amount::Any(amount) => amount,
                };
                self.settle(&signed, actual, tamper, settler, is_relayed);
            }
        }
        self.compare();
    }

    fn sign(&mut self, draft: Draft) {
        self.signed.push(Terms {
            token: self.tokens()[draft.token].clone(),
            from: self.payers()[draft.payer].clone(),
            to: self.payees()[draft.payee].clone(),
            max: draft.max,
            expiration: self.world.ledger() + draft.window,
            nonce: [draft.nonce; 32],
            authority: self.authorities()[draft.authority].clone(),
        });
    }

    fn tampered(&self, signed: &Terms, tamper: Option<Tamper>) -> Terms {
        let other = |two: [&Address; 2], one: &Address| two[usize::from(two[0] == one)].clone();
        let mut call = signed.clone();
        match tamper {
            None => (),
            Some(Tamper::Token) => call.token = other(self.tokens(), &signed.token),
            Some(Tamper::From) => call.from = other(self.payers(), &signed.from),
            Some(Tamper::To) => call.to = other(self.payees(), &signed.to),
            Some(Tamper::Max(by)) => call.max = call.max.saturating_add(by),
            Some(Tamper::Expiration(by)) => call.expiration = (i64::from(call.expiration) + by) as u32,
            Some(Tamper::Nonce) => call.nonce[5] ^= 4,
            Some(Tamper::Authority) => call.authority = self.world.thief.clone(),
        }
        call
    }

    fn settle(&mut self, signed: &Terms, actual: i128, tamper: Option<Tamper>, settler: Settler, is_relayed: bool) {
        let world = &self.world;
        let call = self.tampered(signed, tamper);
        // The payer's signature is always at hand, and fresh for the host: whoever has one may have all.
        let mut entries = std::vec![world.sign(signed)];
        match settler {
            Settler::Itself => entries.push(world.permit(&call.authority, &call, actual)),
            Settler::Thief => entries.push(world.permit(&world.thief, &call, actual)),
            Settler::Nobody => (),
        }
        let expected = self.expected(signed, &call, actual, settler);
        if is_relayed {
            let passed = world.relay(&world.contract, "settle", world.arguments(&call, actual), &entries);
            assert_eq!(passed, expected.is_ok(), "{actual} of {call:?}");
        } else {
            assert_eq!(world.settle_with(&call, actual, &entries), expected, "{actual} of {call:?}");
        }
        if expected.is_ok() {
            self.book(call, actual);
        }
    }

    fn expected(&self, signed: &Terms, call: &Terms, actual: i128, settler: Settler) -> Result<i128, Refusal> {
        let ledger = self.world.ledger();
        let refused = |error| Err(Refusal::Settlement(error));
        if actual < 0 {
            return refused(Error::NegativeAmount);
        }
        if call.max <= 0 {
            return refused(Error::InvalidCeiling);
        }
        if actual > call.max {
            return refused(Error::AmountAboveCeiling);
        }
        if ledger > call.expiration {
            return refused(Error::Expired);
        }
        if call.expiration - ledger >= MAX_ENTRY_TTL - 1 {
            return refused(Error::ExpirationTooFar);
        }
        if self
            .used
            .iter()
            .any(|(from, nonce, until)| *from == call.from && *nonce == call.nonce && ledger <= until + 1)
        {
            return refused(Error::NonceUsed);
        }
        let is_signed = format!("{signed:?}") == format!("{call:?}");
        let is_permitted = match settler {
            Settler::Itself => true,
            Settler::Thief => call.authority == self.world.thief,
            Settler::Nobody => false,
        };
        let is_funded = TokenClient::new(&self.world.env, &call.token).balance(&call.from) >= actual;
        if is_signed && is_permitted && is_funded {
            Ok(actual)
        } else {
            Err(Refusal::Other)
        }
    }

    fn book(&mut self, settled: Terms, actual: i128) {
        let at = |two: [&Address; 2], one: &Address| usize::from(two[0] != one);
        let payer = at(self.payers(), &settled.from);
        let payee = at(self.payees(), &settled.to);
        let token = at(self.tokens(), &settled.token);
        assert!(self.world.ledger() <= settled.expiration);
        self.ceilings[payer][token] = self.ceilings[payer][token].saturating_add(settled.max);
        self.paid[payer][token] += actual;
        self.received[payee][token] += actual;
        self.used.push((settled.from, settled.nonce, settled.expiration));
    }

    fn steal(&self, which: Index, theft: Theft, amount: i128, is_relayed: bool) {
        let world = &self.world;
        let terms = if self.signed.is_empty() { world.terms() } else { which.get(&self.signed).clone() };
        let Terms { token, from, .. } = &terms;
        let spender = |as_contract| if as_contract { &world.contract } else { &world.thief };
        let (function, args) = match theft {
            Theft::TransferFrom { as_contract } => {
                ("transfer_from", world.vals((spender(as_contract), from, &world.thief, amount)))
            }
            Theft::BurnFrom => ("burn_from", world.vals((&world.contract, from, amount))),
            Theft::CapturedApprove => ("approve", world.vals((from, &world.contract, terms.max, terms.expiration))),
            Theft::Transfer => ("transfer", world.vals((from, &world.thief, amount))),
        };
        let signature = world.entry(&world.thief, invocation(token, function, args.clone(), std::vec![]));
        let entries = [world.sign(&terms), world.permit(&terms.authority, &terms, terms.max), signature];
        let call = if is_relayed { World::relay } else { World::call };
        assert!(!call(world, token, function, args, &entries), "{theft:?} of {terms:?}");
    }

    fn compare(&self) {
        let world = &self.world;
        for (index, token) in self.tokens().into_iter().enumerate() {
            let balance = |of: &Address| TokenClient::new(&world.env, token).balance(of);
            for (payer, address) in self.payers().into_iter().enumerate() {
                let paid = BALANCE - balance(address);
                assert_eq!(paid, self.paid[payer][index]);
                assert!(paid <= self.ceilings[payer][index]);
            }
            for (payee, address) in self.payees().into_iter().enumerate() {
                assert_eq!(balance(address), self.received[payee][index]);
            }
            for address in [&world.contract, &world.thief, &world.relay, &world.authority, &world.other_authority] {
                assert_eq!(balance(address), 0);
            }
        }
        let all: HashSet<_> =
            self.used.iter().map(|(from, nonce, until)| format!("{from:?} {nonce:?} {until}")).collect();
        assert_eq!(all.len(), self.used.len(), "an authorization settled twice");
    }
}

fn config() -> Config {
    let usual = Config { failure_persistence: None, ..Config::default() };
    if std::env::var("PROPTEST_CASES").is_ok() {
        usual
    } else {
        Config { cases: 48, ..usual }
    }
}

proptest! {
    #![proptest_config(config())]

    /// A payer pays no more than the ceilings that it signed, each once, in time, to the payee and by the authority that it
    /// named; and nobody else gets anything.
    #[test]
    fn payers_pay_what_they_signed_and_no_more(steps in prop::collection::vec(steps(), 1..40)) {
        let mut model = Model::new();
        for step in steps {
            model.step(step);
        }
    }
}
