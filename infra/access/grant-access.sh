#!/usr/bin/env bash
# Runs once per `docker compose up`, after PostgreSQL and before everything that logs in. It makes the secrets that the
# environment does not give, hands each service a volume with its own and nobody else's, and brings the roles of PostgreSQL
# and Redis in line with them. PostgreSQL's superuser has no known password: it is reachable through the socket volume alone.
#
# Secrets are files of mode 0444: the volume is the boundary, and each service runs under a user id of its own.
set -euo pipefail

folder=/secrets
words() { printf 'minitickets: %s\n' "$*" >&2; }

# Docker carries IPv6 to an IPv4-only network through a proxy of its own, so that every client would have the gateway's address
# and all would share one log-in bucket.
case ${BIND:-} in *:*)
  words "BIND=$BIND is an IPv6 address. All its clients would share one address and one rate limit." \
    'Set BIND to an IPv4 address, and put a TLS proxy that speaks IPv6 in front (infra/README.md, "TLS").'
  exit 1
  ;;
esac

# In databases of earlier versions `minitickets` is the superuser, and PostgreSQL does not let its first role be anything less.
superusers=$(psql --no-psqlrc --username minitickets --dbname minitickets --no-align --tuples-only \
  --command "select count(*) from pg_roles where rolname = 'postgres'" 2>/dev/null || true)
if [ "$superusers" = 0 ]; then
  words 'An earlier version made this database, and its roles cannot be changed. Nothing is lost. Move the data:' \
    'npm run backup:compose -- FILE.tar, then docker compose down --volumes, then npm run restore:compose -- FILE.tar'
  exit 1
fi

for name in APP_SECRET POSTGRES_PASSWORD; do
  if [[ ${!name:-} == *[[:space:][:cntrl:],]* ]]; then
    words "$name contains a space, a comma or a control character. Use the output of: openssl rand -base64 33"
    exit 1
  fi
done

# write FOLDER NAME TEXT: renamed into place, so that nobody reads half a secret.
write() {
  printf '%s' "$3" >"$1/.$2.unfinished"
  chmod 0444 "$1/.$2.unfinished"
  mv -f "$1/.$2.unfinished" "$1/$2"
}

# keep NAME [GIVEN]: stores the given value, or makes one if there is none yet, and prints what is stored.
keep() {
  local stored=''
  [ -s "$folder/$1" ] && stored=$(cat "$folder/$1")
  if [ -n "${2:-}" ] && [ "$2" != "$stored" ]; then
    # Tickets sold under the replaced secret must stay valid.
    if [ "$1" = app-secret ] && [ -n "$stored" ]; then
      write "$folder" app-secrets-before "$stored${before:+,$before}"
    fi
    stored=$2
    write "$folder" "$1" "$stored"
  elif [ -z "$stored" ]; then
    stored=$(head -c 33 /dev/urandom | base64 | tr '+/' '-_')
    write "$folder" "$1" "$stored"
  fi
  printf '%s' "$stored"
}

# Percent-encodes everything but unreserved characters, byte by byte.
url_encoded() {
  local LC_ALL=C text=$1 index code
  for ((index = 0; index < ${#text}; index++)); do
    case ${text:index:1} in
      [a-zA-Z0-9._~-]) printf '%s' "${text:index:1}" ;;
      *)
        printf -v code '%d' "'${text:index:1}"
        printf '%%%02X' $((code & 255))
        ;;
    esac
  done
}

# The list that APP_SECRETS_BEFORE gives, joined with the secrets that were replaced here; a task accepts five.
before=''
[ -s "$folder/app-secrets-before" ] && before=$(cat "$folder/app-secrets-before")
app_secret=$(keep app-secret "${APP_SECRET:-}")
[ -s "$folder/app-secrets-before" ] && before=$(cat "$folder/app-secrets-before")
before=$(printf '%s,%s' "${APP_SECRETS_BEFORE:-}" "$before" | tr ',' '\n' |
  awk -v current="$app_secret" 'NF && $0 != current && !seen[$0]++' | head -5 | paste -sd, -)
write "$folder" app-secrets-before "$before"

owner=$(keep postgres-owner-password "${POSTGRES_PASSWORD:-}")
api=$(keep postgres-api-password)
lab=$(keep postgres-lab-password)
proxy_secret=$(keep proxy-secret)
redis_api=$(keep redis-api-password)
redis_lab=$(keep redis-lab-password)

write /for/owner database-url "postgres://minitickets:$(url_encoded "$owner")@postgres:5432/minitickets"
write /for/api app-secret "$app_secret"
write /for/api app-secrets-before "$before"
write /for/api database-url "postgres://minitickets_api:$api@postgres:5432/minitickets"
write /for/api redis-url "redis://api:$redis_api@redis:6379"
write /for/api proxy-secret "$proxy_secret"
write /for/haproxy proxy-secret "$proxy_secret"
write /for/lab database-url "postgres://minitickets_lab:$lab@postgres:5432/postgres"
write /for/lab redis-url "redis://lab:$redis_lab@redis:6379"

# Redis: a client needs a password for everything but PING, which `health` may without. Neither role reads the other's keys or
# changes the server, and the lab cannot pause it: a pause would stop everybody's log-ins. Nobody logs in as the
# default user, but it keeps all rights: Redis replays its append-only file as that user, and drops what it may not execute.
hash_of() { printf '%s' "$1" | sha256sum | cut -d ' ' -f 1; }
write /for/redis users.acl "user default off resetpass ~* &* +@all
user health on nopass resetkeys resetchannels -@all +ping
user api on #$(hash_of "$redis_api") ~mt:* &mt:* +@all -@admin -@dangerous +info
user lab on #$(hash_of "$redis_lab") ~experiment:* &experiment:* +@all -@admin -@dangerous +info +client|list
"

psql --no-psqlrc --quiet --username postgres --dbname minitickets --set ON_ERROR_STOP=1 \
  --set owner_password="$owner" --set api_password="$api" --set lab_password="$lab" \
  --file /access/roles.sql >/dev/null
