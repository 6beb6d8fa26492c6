//! The module's exports. Operations take a message in a buffer from `host_alloc`, which passes
//! to them, and answer `pointer << 32 | length` of a buffer that the caller frees: u8 0 and the
//! operation's output, or u8 failure kind and a message.

use crate::{
    cost_params, fees,
    framing::{Res, Writer},
    invoke,
    ledger::say,
    simulate, ttl,
};
use soroban_env_host::meta;

#[unsafe(no_mangle)]
pub extern "C" fn host_init() {
    std::panic::set_hook(Box::new(|info| say(&info.to_string())));
}

#[unsafe(no_mangle)]
pub extern "C" fn host_protocol() -> u32 {
    meta::INTERFACE_VERSION.protocol
}

#[unsafe(no_mangle)]
pub extern "C" fn host_alloc(length: usize) -> *mut u8 {
    Box::into_raw(vec![0_u8; length].into_boxed_slice()).cast()
}

/// # Safety
/// Only for a buffer that `host_alloc` or an operation returned, with its length, once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn host_free(pointer: *mut u8, length: usize) {
    drop(unsafe { owned(pointer, length) });
}

unsafe fn owned(pointer: *mut u8, length: usize) -> Box<[u8]> {
    unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(pointer, length)) }
}

fn answer(result: Res<Vec<u8>>) -> u64 {
    let mut out = Writer::default();
    match result {
        Ok(mut bytes) => {
            out.u8(0);
            out.0.append(&mut bytes);
        }
        Err(failure) => {
            out.u8(failure.kind as u8);
            out.bytes(failure.message.as_bytes());
        }
    }
    let bytes = out.0.into_boxed_slice();
    let length = bytes.len() as u64;
    ((Box::into_raw(bytes).cast::<u8>() as u64) << 32) | length
}

macro_rules! operations {
    ($($name:ident => $run:expr;)*) => {$(
        /// # Safety
        /// The buffer must come from `host_alloc` with this length; it passes to the callee.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(pointer: *mut u8, length: usize) -> u64 {
            let input = unsafe { owned(pointer, length) };
            answer($run(&input))
        }
    )*};
}

operations! {
    host_cost_params => |_: &[u8]| cost_params::run();
    host_resource_fee => fees::run;
    host_simulate => simulate::run;
    host_invoke => invoke::run;
    host_simulate_ttl => ttl::simulate;
    host_apply_ttl => ttl::apply;
}
