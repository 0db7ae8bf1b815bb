#!/usr/bin/env bash
# Backs up the running stack into one file: PostgreSQL, and the secrets under which tickets are signed. Without the secrets every
# sold ticket would be void after a restore. Redis is left out: without it people log in again and buckets are full.
#
#   npm run backup:compose -- FILE.tar
#
# The file admits to everything, so that only its owner can read it.
set -euo pipefail
umask 077
file=${1:?usage: backup.sh FILE.tar}
[ ! -e "$file" ] || { echo "$file exists already. Name a new file." >&2; exit 1; }
file=$(cd "$(dirname "$file")" && pwd)/$(basename "$file")
cd "$(dirname "$0")/../.."

parts=$(mktemp -d)
trap 'rm -rf "$parts" "$file.unfinished"' EXIT

# A database of an earlier version has no role `postgres`.
superuser=$(docker compose exec -T postgres bash -c \
  'for role in postgres minitickets; do psql -U $role -d minitickets -qtAc "select current_user" 2>/dev/null && break; done')
# One snapshot, taken while people buy. The format is PostgreSQL's own, compressed.
docker compose exec -T postgres pg_dump --username "$superuser" --format custom minitickets >"$parts/database.dump"
# Its secrets belong to another user, whose files root may read only with this capability.
for secret in app-secret app-secrets-before; do
  docker compose run --rm --no-TTY --no-deps --cap-add DAC_READ_SEARCH --entrypoint bash access \
    -c "[ ! -e /secrets/$secret ] || cat /secrets/$secret" >"$parts/$secret"
done
[ -s "$parts/app-secret" ]

tar -C "$parts" -cf "$file.unfinished" database.dump app-secret app-secrets-before
mv "$file.unfinished" "$file"
echo "$file: $(wc -c <"$file" | tr -d ' ') bytes. Keep it where the shop's machine cannot take it along."
