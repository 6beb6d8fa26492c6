#!/usr/bin/env bash
# Installs what some tests need beside Node and Go (docs/testing.md); without it they are skipped. For machines with apt and sudo.
set -euo pipefail
sudo apt-get update -qq
sudo apt-get install -qq --no-install-recommends pgbouncer
# The tests start their own.
sudo systemctl disable --now pgbouncer
