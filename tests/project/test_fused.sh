# Same bits with and without vectors: the command has a fused multiply-add only where the source asks for one, in base/simd_x86.h (an
# intrinsic of the compiler's headers) or as fmaf(). A compiler that fuses by itself rounds other than the build without vectors does.
. "$(dirname "$0")/lib.sh"
command -v objdump >/dev/null || skip "no objdump"
make_scratch

# complaints LISTING: every fused instruction of `objdump -dl` that the source did not ask for, as "file:line function instruction".
complaints()
{
    awk -v source="$source_dir" '
    /^[0-9a-f]+ <.*>:$/ { inside = $2 }
    /^[^ \t]+:[0-9]+( \(discriminator [0-9]+\))?$/ { place = $1 }
    /\tvf(n?m(add|sub)|maddsub|msubadd)[0-9]+[sp][sd]/ {
        for (k = 1; k <= NF; k++) if ($k ~ /^vf/) { name = $k; break }
        if (name ~ /addsub|subadd|d$/ || !asked_for(place)) print place, inside, name
    }
    # The line says fmaf, or is an intrinsic of the compiler, or turns an unsigned whole number into a float, for which compilers use a
    # fused multiply-add by 65536 that gives the same bits as the conversion.
    function asked_for(place,   part, file, text, number) {
        if (place ~ /intrin\.h:[0-9]+$/) return 1
        if (place in known) return known[place]
        number = place; sub(/.*:/, "", number)
        file = place; sub(/:[0-9]+$/, "", file)
        if (match(file, /\/src\/[^.].*$/)) file = source substr(file, RSTART) # a cache of objects may name another copy
        known[place] = 0
        for (part = 1; (getline text < file) > 0; part++)
            if (part == number) known[place] = text ~ /fmaf\(/ || text ~ /= \(float\)[a-z_>.-]+(\[[a-z]+\])?( \/|;)/
        close(file)
        return known[place]
    }' "$1"
}

# the rule itself finds what it should: the product of quaternions that gcc 12 made, and a sum that nobody asked to fuse
printf 'float a = fmaf(b, c, d);\nfloat a = b * c + d;\n' >"$scratch/code.c"
expect_complaints()
{
    printf '0000 <f>:\n%s\n  12:\t%s %%xmm0,%%xmm1,%%xmm2\n' "$2" "$3" >"$scratch/listing"
    [ "$(complaints "$scratch/listing" | wc -l)" -eq "$1" ] || fail "expected $1 complaints of $3 at $2"
}
expect_complaints 0 /usr/include/fmaintrin.h:65 vfmadd132ps
expect_complaints 0 "$scratch/code.c:1" vfmadd132ss
expect_complaints 1 "$scratch/code.c:2" vfmadd132ss
expect_complaints 1 /usr/include/fmaintrin.h:65 vfmaddsub132pd
expect_complaints 1 "$scratch/code.c:1 (discriminator 2)" vfmadd231sd

command=$build_dir/bin/meniscus
[ -x "$command" ] || skip "no $command"
objdump -dl --no-show-raw-insn "$command" >"$scratch/listing"
grep -qE '\.c:[0-9]+' "$scratch/listing" || skip "$command has no line numbers"
found=$(complaints "$scratch/listing" | sort | uniq -c)
[ -z "$found" ] || fail "fused by the compiler:
$found"
finish
