#!/bin/sh
# Starts Postgres on /data, which gets a database and its owner when it is empty: POSTGRES_DB, POSTGRES_USER, POSTGRES_PASSWORD.
# The image has no other program than those of Postgres and this shell.
set -eu
data=/data/postgres
if [ ! -e "$data/x402-ready" ]; then
  printf '%s\n' "$POSTGRES_PASSWORD" > /tmp/password
  initdb --pgdata="$data" --username=postgres --pwfile=/tmp/password \
    --auth=scram-sha-256 --encoding=UTF8 --locale=C --no-sync
  # One statement in each line. The owner is no superuser, as with a managed Postgres.
  postgres --single -D "$data" -c fsync=off postgres <<SQL
CREATE ROLE "$POSTGRES_USER" LOGIN PASSWORD '$POSTGRES_PASSWORD'
CREATE DATABASE "$POSTGRES_DB" OWNER "$POSTGRES_USER"
SQL
  : > "$data/x402-ready"
fi

# SIGTERM would let Postgres wait for its clients, and then the kubelet kills it: SIGINT disconnects them.
trap 'kill -INT "$server"' TERM INT
postgres -D "$data" -c listen_addresses='*' -c hba_file=/etc/postgres/pg_hba.conf \
  -c unix_socket_directories= -c max_connections=200 -c shared_buffers=64MB -c fsync=off \
  -c full_page_writes=off &
server=$!
wait "$server" || true
# A signal ends the first wait before the server has ended.
wait "$server"
