#!/usr/bin/env bash
# Builds the image of a release for this machine's architecture: VERSION is its tag, SOURCE where its sources are.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec make image ARGS="--gzip --version ${VERSION#v} --source $SOURCE"
