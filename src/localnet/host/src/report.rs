//! How outcomes are written: a value, or an error with the text Stellar RPC would show.

use crate::framing::{Res, Writer, encode};
use soroban_env_host::{
    HostError,
    events::HostEvent,
    xdr::{DiagnosticEvent, ScError, ScErrorCode, ScVal},
};
use std::fmt::Write;

/// The host's error, and below it the event log, newest first. A production host keeps no log
/// in its errors, so it is taken from the diagnostic events.
fn text(error: &HostError, events: &[DiagnosticEvent]) -> String {
    let mut text = format!("HostError: {:?}\n", error.error);
    if !events.is_empty() {
        text.push_str("\nEvent log (newest first):\n");
    }
    for (index, event) in events.iter().rev().enumerate() {
        let event = HostEvent {
            event: event.event.clone(),
            failed_call: !event.in_successful_contract_call,
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "   {index}: {event}");
    }
    text
}

/// out: ScVal::Error xdr, text
pub fn failure(out: &mut Writer, error: &HostError, events: &[DiagnosticEvent]) -> Res<()> {
    let value =
        ScError::try_from(error.error).unwrap_or(ScError::Context(ScErrorCode::InternalError));
    out.bytes(&encode(&ScVal::Error(value))?);
    out.bytes(text(error, events).as_bytes());
    Ok(())
}
