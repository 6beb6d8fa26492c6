//! Removes from a contract's wasm the descriptions of types that the contract does not use, as `stellar contract build`
//! does. The SDK describes all of its own types in every contract, and marks in the data section those that are used.
//!
//! usage: shake-spec input.wasm output.wasm
use soroban_spec::{read::from_wasm, shaking};
use std::{env, error::Error, fs};
use stellar_xdr::{Limits, WriteXdr};

const SPEC_SECTION: &[u8] = b"\x0econtractspecv0";
/// Magic number and version.
const HEADER: usize = 8;
const CUSTOM: u8 = 0;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().collect();
    let [_, input, output] = args.as_slice() else {
        return Err("usage: shake-spec input.wasm output.wasm".into());
    };
    let wasm = fs::read(input)?;
    let mut spec = SPEC_SECTION.to_vec();
    for entry in shaking::filter(from_wasm(&wasm)?, &shaking::find_all(&wasm)) {
        spec.extend(entry.to_xdr(Limits::none())?);
    }
    fs::write(output, replace_spec(&wasm, &spec))?;
    Ok(())
}

/// The same module with another content of the section.
fn replace_spec(wasm: &[u8], spec: &[u8]) -> Vec<u8> {
    let mut shaken = wasm[..HEADER].to_vec();
    let mut rest = &wasm[HEADER..];
    while let Some((&id, after_id)) = rest.split_first() {
        let (size, content) = read_leb128(after_id);
        let (content, next) = content.split_at(size);
        let is_spec = id == CUSTOM && content.starts_with(SPEC_SECTION);
        let content = if is_spec { spec } else { content };
        shaken.push(id);
        write_leb128(content.len(), &mut shaken);
        shaken.extend(content);
        rest = next;
    }
    shaken
}

fn read_leb128(bytes: &[u8]) -> (usize, &[u8]) {
    let length = bytes.iter().position(|byte| byte & 0x80 == 0).expect("a number has an end") + 1;
    let value = bytes[..length].iter().rev().fold(0, |sum, byte| (sum << 7) | usize::from(byte & 0x7f));
    (value, &bytes[length..])
}

fn write_leb128(mut value: usize, into: &mut Vec<u8>) {
    while value >= 0x80 {
        into.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    into.push(value as u8);
}
