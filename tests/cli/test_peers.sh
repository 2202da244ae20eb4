# meniscus bench peers: the other simulator gets our scene as a file of its own, and the table has the time that it took.
. "$(dirname "$0")/lib.sh"

# a stand-in: keeps what it was given, and takes a second for the whole run but none for its first step
cat >peer <<'END'
#!/bin/sh
for scene; do :; done
echo "$OMP_NUM_THREADS $*" >>calls.txt
cp "$scene" "$(dirname "$scene")/unit_box.obj" .
case "$*" in *"--stopAt 0.1 "*) sleep 1 ;; esac
END
chmod +x peer
expect 0 "$meniscus" bench peers --quick --method dfsph --threads 1 --peer ./peer
[ "$(wc -l <calls.txt)" -eq 2 ] || fail "the peer was not run twice: $(cat calls.txt)"
says calls.txt "1 --no-gui"
says out.txt "13824"
says out.txt "mean compression 0.01 %"
# the peer took its second and nothing else, and "faster" is the ratio of the two
awk '/dfsph/ { found = 1; if ($10 < 0.95 || $10 > 3) exit 1; r = $10 / $9 - $11; if (r > 0.06 + 0.02 * $11 || -r > 0.06 + 0.02 * $11) exit 1 } END { exit !found }' \
    out.txt || fail "times: $(cat out.txt)"
# the scene that it was given says what ours is: read back it has the same particles and tolerances
expect 0 "$meniscus" convert scene.json -o back.json
says back.json '"max_density_error": 0.0001'
says back.json '"time_step": 0.001'
expect 0 "$meniscus" check back.json
says out.txt "13 824 particles"

printf '#!/bin/sh\nexit 3\n' >peer
expect 0 "$meniscus" bench peers --quick --method iisph --threads 1 --peer ./peer
says out.txt "failed"
expect 2 "$meniscus" bench peers --quick --peer ./nothing
says err.txt "./nothing is no program"
expect 2 "$meniscus" bench peers --scene calm
says err.txt "small, rest, motion or double"
expect 0 "$meniscus" bench peers --quick --method iisph --threads 1
says out.txt "ours alone"
finish
