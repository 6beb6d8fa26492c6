#!/bin/sh
# Builds the contract to upto.wasm and lists what it was built from.
# Needs cargo; rustup installs the toolchain that rust-toolchain.toml names. (CARGO_TARGET_DIR is honoured.)
set -eu
cd "$(dirname "$0")"
target_dir=${CARGO_TARGET_DIR:-target}
triple=wasm32v1-none
export SOROBAN_SDK_BUILD_SYSTEM_SUPPORTS_SPEC_SHAKING_V2=1
cargo fetch --locked --target "$triple"
remap="--remap-path-prefix=$PWD=/contracts --remap-path-prefix=$(rustc --print sysroot)=/rustc"
for crates in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/; do
  remap="$remap --remap-path-prefix=$crates=/crates/"
done
export CARGO_TARGET_WASM32V1_NONE_RUSTFLAGS="$remap"
cargo build --release --locked --target "$triple" --target-dir "$target_dir"
cp "$target_dir/$triple/release/upto.wasm" upto.wasm
find Cargo.toml Cargo.lock rust-toolchain.toml build.sh src upto.wasm -type f | LC_ALL=C sort | xargs sha256sum >upto.sha256
