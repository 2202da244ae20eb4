# meniscus foam: files, kinds, going on where it stopped, the same for any number of threads, formats, mistakes; foam during a run.
. "$(dirname "$0")/lib.sh"
cat >dam.json <<'END'
{
  "name": "dam", "particle_radius": 0.025, "duration": 0.6, "frame_rate": 50,
  "fluids": [ { "name": "water", "blocks": [ { "min": [0, 0, 0], "max": [0.4, 0.6, 0.3] } ] } ],
  "solids": [ { "name": "tank", "type": "static", "shape": { "box": [1.0, 1.0, 0.3] }, "position": [0.5, 0.5, 0.15], "inside": true },
              { "name": "post", "type": "static", "shape": { "box": [0.1, 0.2, 0.1] }, "position": [0.7, 0.1, 0.15] } ],
  "output": { "checkpoint_every": 10 }
}
END
expect 0 "$meniscus" run dam.json --out run --quiet
[ "$(tail -1 run/stats.csv | cut -d, -f18)" = 0 ] || fail "diffuse particles without foam"
expect 0 "$meniscus" foam run -o one --threads 1 --set amount=3
says out.txt "31 frames"
[ -s one/frames/foam_000030.vtp ] || fail "no file of the last frame"
[ -s one/frames/foam.pvd ] || fail "no list of frames"
for array in id kind age radius velocity; do
    grep -aq "Name=\"$array\"" one/frames/foam_000030.vtp || fail "foam_000030.vtp has no $array"
done
awk -F, 'NR > 1 { if ($4 + $5 + $6 != $3 || $7 < $3) exit 1; born = $7; spray += $4 } END { exit !(born > 500 && spray > 100) }' one/foam.csv ||
    fail "kinds do not add up, or there is hardly any foam: $(tail -1 one/foam.csv)"

# --- the same for any number of threads; frames that are there are kept; interrupted and continued
expect 0 "$meniscus" foam run -o two --threads 3 --set amount=3 --quiet
cmp one/frames/foam_000030.vtp two/frames/foam_000030.vtp || fail "threads change the foam"
expect 0 "$meniscus" foam run -o two --set amount=3
says out.txt "0 frames"
rm two/frames/foam_00001[5-9].vtp
expect 0 "$meniscus" foam run -o two --set amount=3
says out.txt "16 frames"
for k in 15 22 30; do
    cmp one/frames/foam_0000$k.vtp two/frames/foam_0000$k.vtp || fail "going on is not the same in frame $k"
done
cmp one/foam.csv two/foam.csv || fail "going on gives another table"
find two -name '*.part' | grep -q . && fail "temporary files are left"
expect 2 "$meniscus" foam run -o two --set amount=2
says err.txt "other settings"

# --- interrupted by a signal while it works, then continued: the same files as in one go
expect 0 "$meniscus" foam run -o whole --set amount=3 --substeps 40 --threads 1 --quiet
"$meniscus" foam run -o broken --set amount=3 --substeps 40 --threads 1 >out.txt 2>err.txt &
pid=$!
while [ ! -s broken/frames/foam_000004.vtp ] && kill -0 $pid 2>/dev/null; do sleep 0.01; done
kill -INT $pid
wait $pid
[ $? = 130 ] || fail "an interrupted job ends with another status"
says err.txt "goes on from here"
[ -e broken/frames/foam_000030.vtp ] && fail "it was not interrupted"
find broken -name '*.part' | grep -q . && fail "an interrupted job leaves temporary files"
expect 0 "$meniscus" foam run -o broken --set amount=3 --substeps 40 --threads 2
says err.txt "foam: frame"
for k in 04 15 30; do
    cmp whole/frames/foam_0000$k.vtp broken/frames/foam_0000$k.vtp || fail "an interrupted job ends with another frame $k"
done
cmp whole/foam.csv broken/foam.csv || fail "an interrupted job ends with another table"

# --- formats: each with id, kind, age, radius and velocity
for format in ply bgeo csv vtk; do
    expect 0 "$meniscus" foam run -o $format --format $format --quiet --set amount=3
    [ -s $format/frames/foam_000030.$format ] || fail "no $format"
    for array in id kind age radius; do
        grep -aq "$array" $format/frames/foam_000030.$format || fail "$format has no $array"
    done
done
grep -aq 'property float vx' ply/frames/foam_000030.ply || fail "ply has no velocities: $(head -20 ply/frames/foam_000030.ply)"
grep -aqP '\x00\x01v' bgeo/frames/foam_000030.bgeo || fail "bgeo has no velocities"
[ "$(wc -l <csv/frames/foam_000030.csv)" -eq "$(($(tail -1 one/foam.csv | cut -d, -f3) + 1))" ] || fail "particles in csv"
head -1 csv/frames/foam_000030.csv | grep -q 'age,life,radius,id,kind' || fail "columns of csv: $(head -1 csv/frames/foam_000030.csv)"
expect 0 "$meniscus" foam run -o usd --format usda --quiet
grep -q 'def Points "foam_diffuse"' usd/foam.usda || fail "no points in foam.usda"
for array in kind age; do
    grep -q "primvars:$array.timeSamples" usd/foam.usda || fail "no $array in foam.usda"
done
grep -q 'float\[\] widths = \[' usd/foam.usda || fail "no widths in foam.usda"
for array in ids velocities; do
    grep -q "$array.timeSamples" usd/foam.usda || fail "no $array in foam.usda"
done

# --- during a run: frames, the column, and the same bits when it is resumed
expect 0 "$meniscus" run dam.json --out live --quiet --set foam.amount=3
[ -s live/frames/foam_000030.vtp ] && [ -s live/frames/foam.pvd ] || fail "no foam of a run"
[ "$(tail -1 live/stats.csv | cut -d, -f18)" -gt 500 ] || fail "hardly any foam in a run: $(tail -1 live/stats.csv)"
cmp run/frames/water_000030.vtp live/frames/water_000030.vtp || fail "foam changes the fluid"
expect 0 "$meniscus" run dam.json --out parts --quiet --set foam.amount=3 --until 0.24 --threads 2
expect 0 "$meniscus" run dam.json --out parts --quiet --set foam.amount=3 --resume --threads 1
cmp live/frames/foam_000030.vtp parts/frames/foam_000030.vtp || fail "a resumed run has other foam"
expect 2 "$meniscus" foam live
says err.txt "made its foam itself"

# --- pictures: foam is seen, its passes can be, and pictures without it are what they were
for threads in 1 3; do
    expect 0 "$meniscus" render live --style liquid --size 160x90 --frame 24 --threads $threads -o white$threads.png --quiet
done
cmp white1.png white3.png || fail "threads change the picture"
expect 0 "$meniscus" render live --style liquid --size 160x90 --frame 24 --no-foam -o clear.png --quiet
expect 0 "$meniscus" render run --style liquid --size 160x90 --frame 24 -o none.png --quiet
cmp -s white1.png clear.png && fail "foam is not seen"
cmp clear.png none.png || fail "--no-foam is not a picture without foam"
expect 0 "$meniscus" render run --foam one --style liquid --size 160x90 --frame 24 -o elsewhere.png --quiet
cmp -s elsewhere.png none.png && fail "foam that was made elsewhere is not seen"
for pass in depth normal thickness intensity shadow irradiance; do
    expect 0 "$meniscus" render live --size 160x90 --frame 24 --no-title --no-time --no-bar --foam-pass $pass -o $pass.png --quiet
done
cmp -s thickness.png intensity.png && fail "thickness and intensity are one picture"
expect 2 "$meniscus" render live --foam-pass thick -o x.png
says err.txt "thickness"
expect 0 "$meniscus" render live --size 96x54 --frame 24 --quality final --spp 2 -o final.png --quiet
expect 0 "$meniscus" render live --size 96x54 --frame 24 --quality final --spp 2 --no-foam -o final_clear.png --quiet
cmp -s final.png final_clear.png && fail "foam is not seen in final pictures"
expect 0 "$meniscus" render live --size 160x90 --frame 24 --set view.foam.intensity_modulus=30 --style liquid -o thin.png --quiet
cmp -s thin.png white1.png && fail "view.foam.intensity_modulus changes nothing"

# --- mistakes leave nothing behind
expect 2 "$meniscus" foam run -o bad --set lifetime=-1
says err.txt "foam.lifetime"
expect 2 "$meniscus" foam run -o bad --set trapped_air=[2,1]
says err.txt "the first below the second"
expect 2 "$meniscus" foam run -o bad --set amout=1
says err.txt "amount"
expect 2 "$meniscus" foam run -o bad --format abc
expect 2 "$meniscus" foam nowhere -o bad
mkdir empty
expect 2 "$meniscus" foam empty -o bad
cp -r run noframes && rm -r noframes/frames
expect 2 "$meniscus" foam noframes -o bad
says err.txt "no particle frames"
cp -r run foreign && sed -i 's/"name": "water"/"name": "wine"/' foreign/scene.json
expect 2 "$meniscus" foam foreign -o bad
cp -r run still
for f in still/frames/water_*.vtp; do sed -i 's/Name="velocity"/Name="velocitx"/' "$f"; done
expect 2 "$meniscus" foam still -o bad
says err.txt "no velocities"
[ -e bad ] && fail "a mistake has left something behind"
finish
