# meniscus sample: formats, counts, and what it says to bad input.
. "$(dirname "$0")/lib.sh"

cat >cube.obj <<'OBJ'
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
f 4 3 2 1
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
OBJ

# a unit cube at a spacing of 0.1 m has about 6 / 0.01 particles
expect 0 "$meniscus" sample cube.obj --radius 0.05 -o cube.csv
count=$(($(wc -l <cube.csv) - 1))
[ "$count" -ge 560 ] && [ "$count" -le 680 ] || fail "$count particles on the cube, about 600 expected"
for format in vtp ply vtk; do
    expect 0 "$meniscus" sample cube.obj --radius 0.05 -o "cube.$format" --quiet
    expect 0 "$meniscus" info "cube.$format"
    says out.txt "$count"
done

# half the spacing, four times the particles
expect 0 "$meniscus" sample cube.obj --radius 0.025 -o fine.csv
fine=$(($(wc -l <fine.csv) - 1))
[ "$fine" -ge $((count * 35 / 10)) ] && [ "$fine" -le $((count * 45 / 10)) ] || fail "$fine particles at half the spacing of $count"

expect 2 "$meniscus" sample cube.obj -o cube.csv
says err.txt "radius"
expect 2 "$meniscus" sample cube.obj --radius -1 -o cube.csv
expect 2 "$meniscus" sample cube.obj --radius 0.05 -o cube.gif
expect 2 "$meniscus" sample missing.obj --radius 0.05 -o x.csv
says err.txt "missing.obj"
echo "v 0 0" >bad.obj
expect 2 "$meniscus" sample bad.obj --radius 0.05 -o x.csv
says err.txt "bad.obj:1"
[ ! -e x.csv ] || fail "x.csv was written"
finish
