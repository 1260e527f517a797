#!/usr/bin/env bash
# Kills dtvr repeatedly with SIGKILL at random moments, and accounts for every tag.
#
#     Scripts/crash-test.sh [ROUNDS [SEED]]        default: 200 rounds; DTVR=PATH uses an existing build of the tool
#
# Each round reads media/demo under a unique path (tag ids depend on it) into the same store, with a real collector, and
# kills the tool while it reads, while a batch is in flight, or while it uploads pending tags. The round counts only if
# some of its tags were accepted and not yet delivered at the kill. The collector is killed, too.
# At the end everything is uploaded. The tags in the collector's files are compared with the tags that the store
# accepted: every tag found in the store after a kill, and every tag that `dtvr run` reported.
# The exit status is 1 if a tag is lost or duplicated, or if the control, a collector that forgets its tags, gets no
# duplicates.
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=${1:-200}
seed=${2:-$((SRANDOM % 32768))}
RANDOM=$seed
if [ -z "${DTVR:-}" ]; then
    echo "Building (the first time takes some minutes) ..." >&2
    swift build -c release --product dtvr >&2
    DTVR=$(swift build -c release --show-bin-path)/dtvr
fi

work=$(mktemp -d)
collector=
sender=
cleanup() {
    local process
    for process in $sender $collector; do kill -9 "$process" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT
# Keep the user's settings away from the tool.
export HOME=$work XDG_CONFIG_HOME=$work/config XDG_STATE_HOME=$work/state

# Nothing writes to this pipe: a read with a time limit sleeps without starting a process.
mkfifo "$work/never" "$work/ready"
exec 8<>"$work/never"
pause() { # MILLISECONDS
    local seconds
    printf -v seconds '%d.%03d' $(($1 / 1000)) $(($1 % 1000))
    read -r -t "$seconds" -u 8 || true
}
now() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }

port=0
start_collector() { # FOLDER [FAULTS]
    local line=
    local arguments=(collect --dir "$work/$1")
    if [ -n "${2:-}" ]; then arguments+=(--fault "$2"); fi
    # Reuses the port, as a restarted collector does; takes another one if the port is in use.
    for port in "$port" 0; do
        "$DTVR" "${arguments[@]}" --listen "127.0.0.1:$port" >"$work/ready" 2>>"$work/collector.log" &
        collector=$!
        # The collector's first line has its address.
        read -r line <"$work/ready" || true
        if [ -n "$line" ]; then break; fi
        { wait "$collector" || true; } 2>/dev/null
    done
    url=${line##* }
    if [ -z "$url" ]; then
        echo "The collector did not start: $(tail -1 "$work/collector.log")" >&2
        exit 1
    fi
    port=${url##*:}
    port=${port%%/*}
}
end_collector() {
    kill -9 "$collector"
    { wait "$collector" || true; } 2>/dev/null
    collector=
}

start_sender() { # ARGUMENTS OF dtvr ...
    : >"$work/started"
    "$DTVR" "$@" >"$work/output" 2>"$work/errors" &
    sender=$!
}
kill_sender() { # -> whether it was still running
    local status=0
    kill -9 "$sender" 2>/dev/null || true
    { wait "$sender" || status=$?; } 2>/dev/null
    sender=
    [ "$status" = 137 ]
}

# Sets waiting and accepted from the store's status.
look() { # STORE
    local text
    text=$("$DTVR" store status --format json --store "$work/$1")
    if [[ ! $text =~ \"waiting\":([0-9]+).*\"accepted\":([0-9]+) ]]; then
        echo "The store's status cannot be read: $text" >&2
        exit 1
    fi
    waiting=${BASH_REMATCH[1]}
    accepted=${BASH_REMATCH[2]}
}
tag_ids() { sed -n 's/^{"id":"\([0-9a-f]\{32\}\)".*/\1/p' "$@"; }
collected() { cat "$work/$1"/tags-*.ndjson 2>/dev/null || true; }

inputs=0
next_input() {
    inputs=$((inputs + 1))
    ln -s "$PWD/media/demo" "$work/in-$inputs"
    input=$work/in-$inputs/index.m3u8
}

wait_for() { # CONDITION ... -> whether it became true within two minutes, while the sender was running
    local end=$(($(now) + 120000))
    while ! "$@"; do
        if ! kill -0 "$sender" 2>/dev/null || [ "$(now)" -gt $end ]; then return 1; fi
        pause 3
    done
}
# These two are polled every few milliseconds, so they start no process.
has_reported() {
    local lines
    mapfile -t lines <"$work/output"
    [ ${#lines[@]} -gt 0 ]
}
has_received() { # COLLECTED -> whether a tag arrived since the sender was started
    local file
    for file in "$work/$1"/tags-*.ndjson; do
        if [ "$file" -nt "$work/started" ]; then return; fi
    done
    return 1
}

has_committed() { # -> whether the store committed tags since the sender was started
    [ "$work/store/high-water" -nt "$work/started" ]
}

# Sends a batch that is never answered, and kills the sender up to 30 ms later.
kill_in_flight() { # COLLECTED STORE FAULTS -> whether there was a batch
    start_collector "$1" "$3"
    next_input
    start_sender run "$input" --store "$work/$2" --collector "$url"
    if [[ $3 == *lost-answer* ]]; then
        wait_for has_received "$1" || true
    else
        wait_for has_reported || true
    fi
    pause $((RANDOM % 30))
    kill_sender
}

# The time windows of the kills, by kind of round, in milliseconds; the moment of a kill is random within its window.
# A kill that came too late shrinks the window; a kill that counted widens it.
next_input
begin=$(now)
"$DTVR" run "$input" --store "$work/store" >/dev/null 2>&1
windows=($(($(now) - begin + 20)) 0 $((($(now) - begin) / 2 + 10)))

echo "seed $seed"
counted=0 tried=0 in_flight=0 slowest=0
: >"$work/kept"
: >"$work/reported"
start=$(now)
while [ $counted -lt "$rounds" ]; do
    if [ $tried -ge $((rounds * 5 + 20)) ]; then
        echo "Only $counted of $tried kills came while tags were accepted and not yet delivered." >&2
        exit 1
    fi
    tried=$((tried + 1))
    began=$(now)
    kind=$((counted % 3))
    was_killed=yes
    case $kind in
    1)
        # Alternates between a batch that is stored but not answered, and a batch that the collector has read in part.
        # It alternates with every kill, whether it counts or not: an unacknowledged batch is resent first, and while
        # its answers are lost the collector receives nothing new.
        faults=lost-answer
        if [ $((tried % 2)) = 0 ]; then faults=slow=500; fi
        kill_in_flight collected store "$faults" || was_killed=no
        ;;
    *)
        start_collector collected
        next_input
        if [ $kind = 0 ]; then
            start_sender run "$input" --store "$work/store" --collector "$url"
        else
            "$DTVR" run "$input" --store "$work/store" >"$work/output" 2>/dev/null
            sed -n "s|^tags  *\([0-9]*\):.*|$input \1|p" "$work/output" >>"$work/reported"
            start_sender upload --store "$work/store" --collector "$url"
        fi
        # Before the first commit of a run there is nothing to lose.
        if [ $kind = 0 ]; then wait_for has_committed || true; fi
        pause $((RANDOM % (windows[kind] + 1)))
        kill_sender || was_killed=no
        ;;
    esac
    # The tags that it reported before the kill are on disk.
    sed -n "s|^tags  *\([0-9]*\):.*|$input \1|p" "$work/output" >>"$work/reported"
    end_collector
    # The store must open after every kill, and the tags in it must arrive.
    "$DTVR" store export --store "$work/store" >"$work/waiting"
    tag_ids "$work/waiting" >>"$work/kept"
    if [ $was_killed = yes ] && grep -qF "\"source\":\"$input\"" "$work/waiting"; then
        counted=$((counted + 1))
        windows[kind]=$((windows[kind] * 9 / 8 + 1))
        if [ $kind = 1 ]; then in_flight=$((in_flight + 1)); fi
    else
        windows[kind]=$((windows[kind] * 4 / 5))
    fi
    took=$(($(now) - began))
    if [ $took -gt $slowest ]; then slowest=$took; fi
done
elapsed=$(($(now) - start))

start_collector collected
"$DTVR" upload --store "$work/store" --collector "$url" >"$work/output"
kill "$collector"
wait "$collector" || true
collector=
look store
sent_again=$(sed -n 's/.*accepted [0-9]*, duplicate \([0-9]*\),.*/\1/p' "$work/collector.log" | tail -1)

collected collected | tag_ids | sort >"$work/lines"
sort -u "$work/lines" >"$work/distinct"
delivered=$(wc -l <"$work/distinct")
doubled=$(($(wc -l <"$work/lines") - delivered))
# Lost tags: by the store's own count, of those seen in it after a kill, and of those that were reported.
lost=$((accepted - delivered))
kept_lost=$(sort -u "$work/kept" | comm -23 - "$work/distinct" | wc -l)
reported_lost=$(collected collected | sed -n 's/.*"source":"\([^"]*\)".*/\1/p' | sort | uniq -c |
    awk 'NR == FNR { got[$2] = $1; next } { lost += $2 - got[$1] } END { print lost + 0 }' \
        - <(sort -u "$work/reported"))
reported=$(sort -u "$work/reported" | awk '{ sum += $2 } END { print sum + 0 }')

# The control: a collector that does not recognize duplicates must store a resent batch twice.
port=0
kill_in_flight forgetful control "lost-answer forgetful" || true
end_collector
start_collector forgetful forgetful
"$DTVR" upload --store "$work/control" --collector "$url" >/dev/null
end_collector
control=$(($(collected forgetful | wc -l) - $(collected forgetful | tag_ids | sort -u | wc -l)))

echo "rounds     $counted of $tried kills, $in_flight with a batch in flight;" \
    "$((elapsed / tried)) ms per kill, $slowest ms at most"
echo "accepted   $accepted tags, $reported of them reported before a kill"
echo "delivered  $delivered; ${sent_again:-0} duplicates arrived and were recognized"
echo "waiting    $waiting"
echo "lost       $lost; $kept_lost of those in the store after a kill, $reported_lost of those reported"
echo "doubled    $doubled; $control at the control, a collector that forgets"
if [ "$waiting" != 0 ] || [ "$lost" != 0 ] || [ "$kept_lost" != 0 ] || [ "$reported_lost" != 0 ] ||
    [ $doubled != 0 ]; then
    echo "FAILED" >&2
    exit 1
fi
if [ $control = 0 ]; then
    echo "FAILED: the control has no duplicates" >&2
    exit 1
fi
