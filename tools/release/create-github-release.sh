#!/usr/bin/env bash
# Creates the release of the tag VERSION on GitHub, with its notes and the files in dist. Needs gh and GH_TOKEN.
set -euo pipefail
cd "$(dirname "$0")/../.."
notes=$(mktemp)
trap 'rm -f "$notes"' EXIT
TO=$VERSION make --silent release-notes > "$notes"
flags=()
# A hyphen begins a pre-release, as in v1.2.3-rc.1.
case $VERSION in *-*) flags+=(--prerelease) ;; esac
gh release create "$VERSION" --verify-tag --title "$VERSION" --notes-file "$notes" "${flags[@]}" \
  dist/*.spdx.json dist/*.tgz dist/release-*.json
