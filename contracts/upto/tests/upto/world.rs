//! A payer, a payee, an authority and a thief around one deployed contract.
use crate::accounts::{Account, Relay};
use soroban_sdk::{
    testutils::{Address as _, EnvTestConfig, Ledger as _},
    token::{StellarAssetClient, TokenClient},
    xdr::{
        self, InvokeContractArgs, ScVal, SorobanAddressCredentials, SorobanAuthorizationEntry,
        SorobanAuthorizedFunction, SorobanAuthorizedInvocation, SorobanCredentials,
    },
    Address, BytesN, Env, IntoVal, TryFromVal as _, Val, Vec,
};
use std::cell::Cell;

pub mod upto {
    soroban_sdk::contractimport!(file = "upto.wasm");
}
pub use upto::Error;

pub const CEILING: i128 = 1_000;
pub const BALANCE: i128 = 1_000_000;
/// Ledgers after the first one in which the usual authorization is valid.
pub const WINDOW: u32 = 12;
pub const FIRST_LEDGER: u32 = 1_000;
pub const MAX_ENTRY_TTL: u32 = 20_000;

/// What a payer signs.
#[derive(Clone, Debug)]
pub struct Terms {
    pub token: Address,
    pub from: Address,
    pub to: Address,
    pub max: i128,
    pub expiration: u32,
    pub nonce: [u8; 32],
    pub authority: Address,
}

#[derive(Debug, PartialEq)]
pub enum Refusal {
    /// An error of the settlement contract.
    Settlement(Error),
    /// The host refused, or another contract did.
    Other,
}

pub struct World {
    pub env: Env,
    pub contract: Address,
    pub token: Address,
    pub other_token: Address,
    pub payer: Address,
    pub other_payer: Address,
    pub payee: Address,
    pub other_payee: Address,
    pub authority: Address,
    pub other_authority: Address,
    pub thief: Address,
    pub relay: Address,
    signatures: Cell<i64>,
}

impl World {
    pub fn new() -> Self {
        let env = Env::new_with_config(EnvTestConfig { capture_snapshot_at_drop: false });
        env.ledger().with_mut(|ledger| {
            ledger.sequence_number = FIRST_LEDGER;
            // Lower than on any network: an entry lives as long as the contract extends it, and no longer.
            ledger.min_temp_entry_ttl = 1;
            ledger.max_entry_ttl = MAX_ENTRY_TTL;
        });
        let account = || env.register(Account, ());
        let [payer, other_payer] = [account(), account()];
        let world = Self {
            contract: env.register(upto::WASM, ()),
            token: issue(&env, &[&payer, &other_payer]),
            other_token: issue(&env, &[&payer, &other_payer]),
            payee: account(),
            other_payee: account(),
            authority: account(),
            other_authority: account(),
            thief: account(),
            relay: env.register(Relay, ()),
            signatures: Cell::new(0),
            payer,
            other_payer,
            env,
        };
        world.env.set_auths(&[]);
        world
    }

    /// The usual payment: the payer pays the payee at most the ceiling.
    pub fn terms(&self) -> Terms {
        Terms {
            token: self.token.clone(),
            from: self.payer.clone(),
            to: self.payee.clone(),
            max: CEILING,
            expiration: self.ledger() + WINDOW,
            nonce: [7; 32],
            authority: self.authority.clone(),
        }
    }

    pub fn ledger(&self) -> u32 {
        self.env.ledger().sequence()
    }

    pub fn advance(&self, ledgers: u32) {
        self.env.ledger().set_sequence_number(self.ledger() + ledgers);
    }

    pub fn balance(&self, of: &Address) -> i128 {
        TokenClient::new(&self.env, &self.token).balance(of)
    }

    pub fn allowance(&self) -> i128 {
        TokenClient::new(&self.env, &self.token).allowance(&self.payer, &self.contract)
    }

    /// The entry of the payer, with a new nonce of the host each time.
    pub fn sign(&self, terms: &Terms) -> SorobanAuthorizationEntry {
        let approve = (&terms.from, &self.contract, terms.max, terms.expiration);
        let approve = invocation(&terms.token, "approve", self.vals(approve), std::vec![]);
        let signed = (&terms.token, &terms.to, terms.max, terms.expiration, self.bytes(&terms.nonce), &terms.authority);
        self.entry(&terms.from, invocation(&self.contract, "settle", self.vals(signed), std::vec![approve]))
    }

    /// The entry of an authority: all arguments of the call.
    pub fn permit(&self, authority: &Address, terms: &Terms, actual: i128) -> SorobanAuthorizationEntry {
        self.entry(authority, invocation(&self.contract, "settle", self.arguments(terms, actual), std::vec![]))
    }

    pub fn arguments(&self, terms: &Terms, actual: i128) -> Vec<Val> {
        let Terms { token, from, to, max, expiration, nonce, authority } = terms;
        self.vals((token, from, to, *max, *expiration, self.bytes(nonce), actual, authority))
    }

    /// Payer and authority agree to the terms, and the authority to the amount.
    pub fn settle(&self, terms: &Terms, actual: i128) -> Result<i128, Refusal> {
        let entries = [self.sign(terms), self.permit(&terms.authority, terms, actual)];
        self.settle_with(terms, actual, &entries)
    }

    pub fn settle_with(
        &self,
        terms: &Terms,
        actual: i128,
        entries: &[SorobanAuthorizationEntry],
    ) -> Result<i128, Refusal> {
        self.env.set_auths(entries);
        let Terms { token, from, to, max, expiration, nonce, authority } = terms;
        let result = upto::Client::new(&self.env, &self.contract).try_settle(
            token,
            from,
            to,
            max,
            expiration,
            &self.bytes(nonce),
            &actual,
            authority,
        );
        self.env.set_auths(&[]);
        match result {
            Ok(Ok(moved)) => Ok(moved),
            Err(Ok(error)) => Err(Error::try_from(error).map_or(Refusal::Other, Refusal::Settlement)),
            _ => Err(Refusal::Other),
        }
    }

    /// Calls any function of any contract. Returns whether it succeeded.
    pub fn call(
        &self,
        contract: &Address,
        function: &str,
        args: Vec<Val>,
        entries: &[SorobanAuthorizationEntry],
    ) -> bool {
        self.env.set_auths(entries);
        let function = soroban_sdk::Symbol::new(&self.env, function);
        let result = self.env.try_invoke_contract::<Val, soroban_sdk::Error>(contract, &function, args);
        self.env.set_auths(&[]);
        result.is_ok()
    }

    /// The same call through a contract in between.
    pub fn relay(
        &self,
        contract: &Address,
        function: &str,
        args: Vec<Val>,
        entries: &[SorobanAuthorizationEntry],
    ) -> bool {
        let function = soroban_sdk::Symbol::new(&self.env, function);
        self.call(&self.relay, "relay", self.vals((contract, function, args)), entries)
    }

    pub fn entry(&self, address: &Address, root: SorobanAuthorizedInvocation) -> SorobanAuthorizationEntry {
        self.signatures.set(self.signatures.get() + 1);
        SorobanAuthorizationEntry {
            root_invocation: root,
            credentials: SorobanCredentials::Address(SorobanAddressCredentials {
                address: address.into(),
                nonce: self.signatures.get(),
                // The contract itself checks the expiry of the terms.
                signature_expiration_ledger: self.ledger() + MAX_ENTRY_TTL - 1,
                signature: ScVal::Void,
            }),
        }
    }

    pub fn vals(&self, args: impl IntoVal<Env, Vec<Val>>) -> Vec<Val> {
        args.into_val(&self.env)
    }

    pub fn bytes(&self, nonce: &[u8; 32]) -> BytesN<32> {
        BytesN::from_array(&self.env, nonce)
    }
}

pub fn invocation(
    contract: &Address,
    function: &str,
    args: Vec<Val>,
    below: std::vec::Vec<SorobanAuthorizedInvocation>,
) -> SorobanAuthorizedInvocation {
    let args: std::vec::Vec<ScVal> =
        args.iter().map(|arg| xdr::ScVal::try_from_val(args.env(), &arg).unwrap()).collect();
    SorobanAuthorizedInvocation {
        function: SorobanAuthorizedFunction::ContractFn(InvokeContractArgs {
            contract_address: contract.into(),
            function_name: function.try_into().unwrap(),
            args: args.try_into().unwrap(),
        }),
        sub_invocations: below.try_into().unwrap(),
    }
}

/// A Stellar asset contract, of whose asset each holder has the balance.
fn issue(env: &Env, holders: &[&Address]) -> Address {
    let token = env.register_stellar_asset_contract_v2(Address::generate(env)).address();
    env.mock_all_auths();
    for holder in holders {
        StellarAssetClient::new(env, &token).mint(holder, &BALANCE);
    }
    token
}
