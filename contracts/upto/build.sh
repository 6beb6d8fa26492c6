#!/bin/sh
# Builds the contract to upto.wasm, writes toolchain.txt, and lists in upto.sha256 what the wasm was built from.
# Needs cargo; rustup installs the toolchain that rust-toolchain.toml names. (CARGO_TARGET_DIR is honoured.)
# usage: build.sh [output]   (default upto.wasm; for another output the other files stay as they are)
# Paths are remapped, so that two builds in different folders are bit-identical.
set -eu
cd "$(dirname "$0")"
out=${1:-upto.wasm}
target_dir=${CARGO_TARGET_DIR:-target}
triple=wasm32v1-none
host=$(rustc -vV | sed -n 's/^host: //p')
# Says to the SDK that shake-spec runs after the build.
export SOROBAN_SDK_BUILD_SYSTEM_SUPPORTS_SPEC_SHAKING_V2=1
cargo fetch --quiet --locked --target "$triple" --target "$host"
remap="--remap-path-prefix=$PWD=/contracts --remap-path-prefix=$(rustc --print sysroot)=/rustc"
for crates in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/; do
  remap="$remap --remap-path-prefix=$crates=/crates/"
done
export CARGO_TARGET_WASM32V1_NONE_RUSTFLAGS="$remap"
cargo build --release --locked --target "$triple" --target-dir "$target_dir" --package upto
cargo run --quiet --locked --target-dir "$target_dir" --package shake-spec "$target_dir/$triple/release/upto.wasm" "$out"
if [ "$out" = upto.wasm ]; then
  # The same for every machine: the line with the host's name is left out.
  rustc -vV | grep -v '^host: ' >toolchain.txt
  { find Cargo.toml Cargo.lock rust-toolchain.toml toolchain.txt build.sh src shake-spec -type f | LC_ALL=C sort
    echo upto.wasm
  } | xargs sha256sum >upto.sha256
fi
