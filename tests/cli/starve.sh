# For tests of allocations that fail: the n-th finds no memory, alone or with all after it. Status 3 and "no memory", never a crash or another
# reason, and no file half written. tests/shims/no_memory.c makes them fail.
shim=$(dirname "$meniscus")/../tests/libno_memory.so
[ -e "$shim" ] || {
    echo "skipped: no $shim (sanitizers have an allocator of their own)"
    exit 77
}
export NO_MEMORY_COUNT=$scratch/count

# starved N ONCE COMMAND...: runs it; what it says and how it ends must be right
starved()
{
    n=$1
    once=$2
    shift 2
    rm -rf out
    # timeout is outside: what it allocates itself is none of the command's
    timeout 60 env LD_PRELOAD="$shim" NO_MEMORY_AT="$n" ${once:+NO_MEMORY_ONCE=1} "$@" >out.txt 2>err.txt
    status=$?
    if [ $status -eq 3 ]; then
        grep -q "no memory" err.txt || fail "allocation $n${once:+ alone}: $* says: $(head -1 err.txt)"
    elif [ $status -ne 0 ]; then
        fail "allocation $n${once:+ alone}: $* ends with $status: $(head -1 err.txt)"
    fi
    [ ! -d out ] || [ -z "$(find out -name '*.part')" ] || fail "allocation $n${once:+ alone}: left $(find out -name '*.part' | head -1)"
    outcomes[$status]=$((${outcomes[$status]:-0} + 1))
}

# sweep PART COMMAND...: about PART allocations of those that the command makes, each for itself and with all after it
sweep()
{
    part=$1
    shift
    outcomes=()
    starved -1 "" "$@" # nothing fails: how many there are
    [ "${outcomes[0]:-0}" -eq 1 ] || return
    total=$(cat "$NO_MEMORY_COUNT")
    [ "$total" -gt 100 ] || fail "only $total allocations in $*"
    for ((k = 1; k <= total; k += total / part)); do
        starved $k "" "$@"
        starved $((k + total / part / 2)) once "$@"
    done
    [ "${outcomes[3]:-0}" -gt $((part / 2)) ] || fail "only ${outcomes[3]:-0} of $((2 * part)) tries found no memory: $*"
}
