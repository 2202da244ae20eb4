# The libraries show mn_* and nothing else, and all that the public headers declare.
. "$(dirname "$0")/lib.sh"
command -v nm >/dev/null || skip "no nm"
shared=$build_dir/lib/libmeniscus.so
archive=$build_dir/lib/libmeniscus.a

declared=$(grep -hE '^MN_API' "$source_dir"/include/meniscus/*.h | grep -oE '\bmn_[a-z0-9_]+\(' | tr -d '(' | sort -u)
[ "$(echo "$declared" | wc -l)" -ge 2 ] || fail "found no MN_API functions in the headers"

check()
{
    foreign=$(echo "$2" | grep -v '^mn_' || true)
    [ -z "$foreign" ] || fail "$1 also exports:" $foreign
    absent=$(comm -23 <(echo "$declared") <(echo "$2" | sort -u))
    [ -z "$absent" ] || fail "$1 does not have:" $absent
}
check "$shared" "$(nm -D --defined-only "$shared" | awk '{ print $NF }')"
check "$archive" "$(nm -g --defined-only "$archive" | awk 'NF == 3 { print $3 }')"
finish
