#!/bin/sh
# What is behind a table of functions is known by its own files alone: the world does not know that its fluid is SPH, and the
# guard of sides not whose particles it sweeps.
set -u
src=$1/src
status=0

complain() # what, where it was found
{
    if [ -n "$2" ]; then
        echo "$1:"
        echo "$2"
        status=1
    fi
}

others=$(find "$src/world" -name '*.[ch]' ! -name 'sph_*' ! -name fluids.c ! -name fluid_kind.h)
[ -n "$others" ] || { echo "no files of the world in $src"; exit 1; }
# shellcheck disable=SC2086
complain "SPH in the world outside of sph_*.c" "$(grep -nE '\bSph\b|\bsph_|_sph\b|fluid/(fluid|pressure|tension|viscosity)' $others)"
complain "a fluid's own arrays in the guard" "$(grep -rnE '\bSph\b|\bFluid\b|fluid/(fluid|pressure)' "$src/guard")"
rooms=$(sed -nE "s/^room\(([a-z]+) .*/\1/p" "$1/CMakeLists.txt")
[ -n "$rooms" ] || { echo "no rooms in CMakeLists.txt"; exit 1; }
for room in $rooms; do
    grep -q ">$room<" "$1/docs/images/rooms.svg" || { echo "docs/images/rooms.svg does not show room $room"; status=1; }
done
exit $status
