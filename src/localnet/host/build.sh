#!/bin/sh
# Builds host.wasm. Needs cargo and `rustup target add wasm32-unknown-unknown`.
# usage: build.sh [output]   (CARGO_TARGET_DIR is honoured)
# Paths are remapped, so that two builds in different folders are bit-identical.
set -eu
cd "$(dirname "$0")"
out=${1:-host.wasm}
target_dir=${CARGO_TARGET_DIR:-target}
triple=wasm32-unknown-unknown
cargo fetch --locked --target "$triple"
crates=$(ls -d "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/ | head -n 1)
# The host recurses deeply on nested values: 8 MB of stack instead of the default 1.
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="-C link-arg=-zstack-size=8388608 \
--remap-path-prefix=$crates=/crates/ --remap-path-prefix=$PWD=/host \
--remap-path-prefix=$(rustc --print sysroot)=/rustc"
cargo build --release --locked --target "$triple" --target-dir "$target_dir"
cp "$target_dir/$triple/release/soroban_host.wasm" "$out"
