#!/bin/sh
# Builds the contract to upto.wasm, and lists in upto.sha256 what it was built from.
# Needs cargo; rustup installs the toolchain that rust-toolchain.toml names. (CARGO_TARGET_DIR is honoured.)
# usage: build.sh [output]   (default upto.wasm; another output leaves upto.sha256 as it is)
# Paths are remapped, so that two builds in different folders are bit-identical.
set -eu
cd "$(dirname "$0")"
out=${1:-upto.wasm}
target_dir=${CARGO_TARGET_DIR:-target}
triple=wasm32v1-none
# Says to the SDK that shake-spec runs after the build.
export SOROBAN_SDK_BUILD_SYSTEM_SUPPORTS_SPEC_SHAKING_V2=1
host=$(rustc -vV | sed -n "s/^host: //p")
cargo fetch --locked --target "$triple" --target "$host"
remap="--remap-path-prefix=$PWD=/contracts --remap-path-prefix=$(rustc --print sysroot)=/rustc"
for crates in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/; do
  remap="$remap --remap-path-prefix=$crates=/crates/"
done
export CARGO_TARGET_WASM32V1_NONE_RUSTFLAGS="$remap"
cargo build --release --locked --target "$triple" --target-dir "$target_dir" --package upto
cargo run --quiet --locked --target-dir "$target_dir" --package shake-spec "$target_dir/$triple/release/upto.wasm" "$out"
if [ "$out" = upto.wasm ]; then
  find . -path ./target -prune -o -type f ! -name upto.sha256 ! -name '*.md' -print |
    sed 's|^\./||' | LC_ALL=C sort | xargs sha256sum >upto.sha256
fi
