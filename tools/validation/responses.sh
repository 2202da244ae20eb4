#!/usr/bin/env bash
# Fig. 4 of Becker, Tessendorf and Teschner (2009): what the local and the global response of direct forcing take, by the number of contacts.
#   tools/validation/responses.sh [--meniscus FILE] [PICTURE.png]      docs/images/direct_responses.png if none is named
# A second or two of one core; run it on a quiet machine.
set -eu
cd "$(dirname "$0")/../.."
meniscus=build/bin/meniscus
if [ "${1:-}" = --meniscus ]; then
    meniscus=$2
    shift 2
fi
picture=${1:-docs/images/direct_responses.png}
[ -x "$meniscus" ] || { echo "responses.sh: no command at $meniscus; make builds it" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$meniscus" bench direct --scene responses --quick | tee "$work/all" | awk '$1 ~ /^[0-9]+$/ { print $1, $2, $3 }' >"$work/rows"
cat "$work/all"
gnuplot <<END
set terminal pngcairo size 640,400 font 'sans,11'; set output '$picture'; set grid; set key left top
set xlabel 'contacts'; set ylabel 'time [ms]'; set xrange [0:*]; set yrange [0:*]
plot '$work/rows' using 1:(\$2 / 1000) with linespoints lw 2 pt 6 title 'local', '' using 1:(\$3 / 1000) with linespoints lw 2 pt 4 title 'global'
END
