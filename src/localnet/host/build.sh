#!/bin/sh
# Builds host.wasm. Needs cargo and the target in rust-toolchain.toml, which rustup adds by itself.
# usage: build.sh [output]   (default host.wasm; CARGO_TARGET_DIR is honoured)
# Paths are remapped, so that two builds in different folders are bit-identical.
set -eu
cd "$(dirname "$0")"
out=${1:-host.wasm}
target_dir=${CARGO_TARGET_DIR:-target}
triple=wasm32-unknown-unknown
cargo fetch --locked --target "$triple"
remap="--remap-path-prefix=$PWD=/host --remap-path-prefix=$(rustc --print sysroot)=/rustc"
for crates in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/; do
  remap="$remap --remap-path-prefix=$crates=/crates/"
done
# The host recurses deeply on nested values: 8 MB of stack instead of the default 1.
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="-C link-arg=-zstack-size=8388608 $remap"
cargo build --release --locked --target "$triple" --target-dir "$target_dir"
cp "$target_dir/$triple/release/soroban_host.wasm" "$out"
# What the module was built from, and the module itself; a test holds the tree against it.
if [ "$out" = host.wasm ]; then
  { find Cargo.toml Cargo.lock rust-toolchain.toml build.sh src vendor -type f | LC_ALL=C sort
    echo host.wasm
  } | xargs sha256sum >host.wasm.sources.sha256
fi
