#!/usr/bin/env bash
# Restores what backup.sh wrote into a stack without data, and starts it. Tickets that were sold keep their codes.
#
#   npm run restore:compose -- FILE.tar           (COMPOSE_PROJECT_NAME=… names another stack than the usual one)
#
# Harmless to repeat after a failure: the database is restored in one transaction, and one that has tables is never touched.
set -euo pipefail
umask 077
file=${1:?usage: restore.sh FILE.tar}
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
tar -C "$parts" -xf "$file" database.dump app-secret app-secrets-before
cd "$(dirname "$0")/../.."

docker compose up --detach --wait --no-deps postgres
tables=$(docker compose exec -T postgres psql --username postgres --dbname minitickets --no-align --tuples-only \
  --command "select count(*) from pg_tables where schemaname = 'public'")
if [ "$tables" != 0 ]; then
  echo 'The database has tables already. Restore into another stack (COMPOSE_PROJECT_NAME), or remove this one: docker compose down --volumes' >&2
  exit 1
fi

# The secrets first: `access` keeps what it finds, and gives the roles, which own what the dump brings, their passwords.
for secret in app-secret app-secrets-before; do
  docker compose run --rm --no-TTY --no-deps --entrypoint bash access -c "rm -f /secrets/$secret; cat >/secrets/$secret" <"$parts/$secret"
done
docker compose run --rm --no-TTY --no-deps access
docker compose exec -T postgres pg_restore --username postgres --dbname minitickets \
  --clean --if-exists --single-transaction --exit-on-error <"$parts/database.dump"

docker compose up --detach --wait
echo 'Restored. Everybody logs in again: sessions are not part of a backup.'
