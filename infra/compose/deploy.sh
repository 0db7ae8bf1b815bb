#!/usr/bin/env bash
# Rolling deploy of the stack in containers: builds the images, migrates, and replaces the API tasks without dropping a request.
# If a step fails, the old tasks keep serving, and the images' names point to the old images again.
#
#   npm run deploy:compose            or            bash infra/compose/deploy.sh
#
# The old tasks serve while the migration runs and for some seconds after it, so that it must suit both versions (expand and
# contract).
set -euo pipefail
cd "$(dirname "$0")/../.."

# The slots for tasks in infra/haproxy/haproxy.cfg.
slots=20

say() { printf '\n=== %s\n' "$*"; }

# How many tasks HAProxy sends requests to.
in_rotation() {
  docker compose exec -T haproxy bash -c \
    'exec 3<>/dev/tcp/127.0.0.1/8404 && printf "GET / HTTP/1.0\r\n\r\n" >&3 && timeout 5 cat <&3' |
    sed -n 's/^\([0-9][0-9]*\) ready.*/\1/p'
}

old=$(docker compose ps --quiet --status running api)
tasks=$(wc -w <<<"$old" | tr -d ' ')
if [ "$tasks" = 0 ]; then
  echo 'No task is running. Start the stack first: docker compose up --detach --build' >&2
  exit 1
fi
if [ $((2 * tasks)) -gt "$slots" ]; then
  echo "HAProxy has slots for $slots tasks: $tasks old and $tasks new ones do not fit. Stop some tasks first." >&2
  exit 1
fi
old_images=$(docker inspect --format '{{.Image}} {{.Config.Image}}' $(head -n 1 <<<"$old") $(docker compose ps --quiet lab))

# No old task is stopped before all new ones are in rotation, so that there is nothing to bring back but the images' names.
back_out() {
  trap - EXIT
  say 'The deploy failed. The old version keeps serving.'
  for task in $(docker compose ps --all --quiet api); do
    grep -q "$task" <<<"$old" || docker rm --force "$task" >/dev/null
  done
  while read -r image name; do docker tag "$image" "$name"; done <<<"$old_images"
  exit 1
}
trap back_out EXIT

say 'Build'
docker compose build api lab

say 'Migrate'
docker compose run --rm --no-TTY --no-deps migrate

say "Start $tasks new tasks beside the old ones"
# One at a time: a request that meets a task which does not listen yet is given to one that does.
for ((number = tasks + 1; number <= 2 * tasks; number++)); do
  docker compose up --detach --wait --wait-timeout 120 --no-deps --no-recreate --no-build --scale api=$number api
  deadline=$((SECONDS + 30))
  until [ "$(in_rotation)" = "$number" ]; do
    [ "$SECONDS" -lt "$deadline" ]
    sleep 0.5
  done
done

say 'Drain and remove the old tasks'
trap - EXIT
docker stop --time 13 $old >/dev/null
docker rm $old >/dev/null

say 'Replace the lab'
docker compose up --detach --no-deps --no-build lab
say "Done: $tasks tasks run the new version"
