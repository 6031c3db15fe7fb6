/**
 * Runs OpenCode and outlives neither it nor us: its standard input is a pipe that we hold. When we close it or die, whatever
 * way, the pipe ends; then the commands' process groups and OpenCode are killed. POSIX sh.
 *
 * $1: folder with a file for each command's process group. The rest: the program and its arguments.
 */
export const WATCHDOG = `groups=$1
shift
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
(
  read -r _ <&3
  for file in "$groups"/[1-9]*; do
    [ -f "$file" ] && kill -s KILL -- "-\${file##*/}" 2>/dev/null
  done
  kill -s KILL "$server" 2>/dev/null
) >/dev/null 2>&1 &
guard=$!
exec 3<&-
trap 'kill -s TERM "$server" 2>/dev/null' TERM
wait "$server"
status=$?
# A signal ends the waiting, not the server.
while kill -0 "$server" 2>/dev/null; do
  wait "$server"
  status=$?
done
kill "$guard" 2>/dev/null
exit "$status"
`;
